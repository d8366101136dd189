import { parseAmount } from '../../../../domain/money';
import type { Finding } from '../../../../domain/outcome';
import { resultOf } from './result-codes';
import { parsed, recordOf, textOf } from './wire';

/** What a callback tells. Items may be absent, lack a value, or carry numbers as texts; phones may be masked. */
export interface StkCallback {
  merchantRequestId: string;
  checkoutRequestId: string;
  resultCode: string;
  resultDesc: string;
  items: Record<string, string>;
}

/** @returns undefined for anything that is not a callback. */
export function readCallback(body: string): StkCallback | undefined {
  const callback = recordOf(recordOf(recordOf(parsed(body))['Body'])['stkCallback']);
  const checkoutRequestId = textOf(callback['CheckoutRequestID']);
  const resultCode = textOf(callback['ResultCode']);
  if (checkoutRequestId === '' || resultCode === '') return undefined;
  return {
    merchantRequestId: textOf(callback['MerchantRequestID']),
    checkoutRequestId,
    resultCode,
    resultDesc: textOf(callback['ResultDesc']),
    items: itemsOf(recordOf(callback['CallbackMetadata'])['Item']),
  };
}

/** The finding of a stored callback. Any code we do not know is an ending, since no second callback follows one. */
export function findingOf(callback: StkCallback): Finding {
  const { resultCode: code, resultDesc: text, checkoutRequestId: providerReference } = callback;
  const { means, ourAccount } = resultOf(code, text) ?? { means: 'failed' as const };
  const details = detailsOf(callback);
  if (means === 'open') return { kind: 'open', text };
  if (means !== 'succeeded') {
    return { kind: means, code, text, providerReference, details, ...(ourAccount && { ourAccount }) };
  }
  const amountMinor = amountOf(callback.items['Amount']);
  const receipt = callback.items['MpesaReceiptNumber'];
  return {
    kind: 'succeeded',
    code,
    text,
    currency: 'KES',
    providerReference,
    details,
    ...(amountMinor === undefined ? {} : { amountMinor }),
    ...(receipt === undefined ? {} : { receipt }),
  };
}

function detailsOf({ items, merchantRequestId }: StkCallback): Record<string, string> {
  const details: Record<string, string> = {};
  if (merchantRequestId !== '') details['merchant_request_id'] = merchantRequestId;
  if (items['TransactionDate']) details['transaction_date'] = items['TransactionDate'];
  if (items['PhoneNumber']) details['payer_phone'] = items['PhoneNumber'];
  return details;
}

function amountOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : parseAmount(text, 'KES');
}

function itemsOf(list: unknown): Record<string, string> {
  const items: Record<string, string> = {};
  for (const item of Array.isArray(list) ? list : []) {
    const { Name: name, Value: value } = recordOf(item);
    if (typeof name === 'string' && textOf(value) !== '') items[name] = textOf(value);
  }
  return items;
}
