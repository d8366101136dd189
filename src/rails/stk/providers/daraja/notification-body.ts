import { parseAmount } from '../../../../domain/money';
import type { ProviderResult } from '../../../../domain/outcome';
import { resultOf } from './result-codes';
import { recordOf, textOf } from './wire';
import { wireJson } from '../../../../rail-kit/wire-json';

/**
 * The fields of a callback. Items may be absent, have no value, or contain numbers as texts; phone numbers may be
 * masked.
 */
export interface StkCallback {
  merchantRequestId: string;
  checkoutRequestId: string;
  resultCode: string;
  resultDesc: string;
  items: Record<string, string>;
}

/** @returns undefined for anything that is not a callback. */
export function readCallback(body: string): StkCallback | undefined {
  const callback = recordOf(recordOf(recordOf(wireJson(body))['Body'])['stkCallback']);
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

/** The result in a stored callback. An unknown code is final, since no second callback follows. */
export function resultOfCallback(callback: StkCallback): ProviderResult {
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
