/**
 * Transaction Status: what a payment is called in the network's own books, its receipt. Safaricom's documentation of the
 * API says that it needs the receipt or the OriginatorConversationID of the payment; a CheckoutRequestID is neither. That
 * a prompt's MerchantRequestID is its OriginatorConversationID is not documented: results of such payments ("Pay Bill
 * Online") were seen in public to name one of the same form. So a result counts only where it names ours.
 */
import { cutText } from '../../../../domain/cut-text';
import { parseAmount } from '../../../../domain/money';
import type { Finding } from '../../../../domain/outcome';
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import type { PaymentRow } from '../../../../store/tables';
import type { StkSettings } from '../../settings';
import { parsed, recordOf, textOf } from './wire';

/** The type of a shortcode, of the identifiers that the provider documents. */
export const shortcodeType = '4';

export type Initiator = NonNullable<StkSettings['initiator']>;

/** What the provider calls the payment where it is not a prompt; empty where its acceptance was lost. */
export function originalIdOf({ details }: PaymentRow): string {
  return details['merchant_request_id'] ?? '';
}

export function statusRequest(
  payment: PaymentRow,
  shortcode: string,
  { name, credential }: Initiator,
  urls: { result: string; timeout: string },
): Record<string, string> {
  return {
    Initiator: name,
    SecurityCredential: credential,
    CommandID: 'TransactionStatusQuery',
    OriginalConversationID: originalIdOf(payment),
    PartyA: shortcode,
    IdentifierType: shortcodeType,
    ResultURL: urls.result,
    QueueTimeOutURL: urls.timeout,
    Remarks: 'Receipt',
    Occasion: 'Receipt',
  };
}

/** That it was taken says nothing yet: the result comes to an address of its own. */
export function readStatusAcceptance(
  answer: ProviderAnswer | { kind: 'account_refused'; text: string },
): { kind: 'asked' } | { kind: 'not_asked'; text: string } {
  if (answer.kind !== 'answered') return { kind: 'not_asked', text: answer.text };
  const isTaken = answer.status === 200 && textOf(recordOf(answer.json)['ResponseCode']) === '0';
  return isTaken
    ? { kind: 'asked' }
    : { kind: 'not_asked', text: cutText(`${String(answer.status)} ${answer.text}`, 500) };
}

export interface StatusResult {
  code: string;
  text: string;
  /** By the keys of its ResultParameters, which repeat some and leave the value of others out. */
  parameters: Record<string, string>;
}

/** @returns undefined for anything that is not a result. */
export function readStatusResult(body: string): StatusResult | undefined {
  const result = recordOf(recordOf(parsed(body))['Result']);
  const code = textOf(result['ResultCode']);
  if (code === '') return undefined;
  const told = recordOf(result['ResultParameters'])['ResultParameter'];
  const parameters: Record<string, string> = {};
  for (const each of Array.isArray(told) ? told : [told]) {
    const { Key: key, Value: value } = recordOf(each);
    if (typeof key === 'string' && textOf(value) !== '') parameters[key] = textOf(value);
  }
  return { code, text: textOf(result['ResultDesc']), parameters };
}

/** Only what is completed has a receipt; all else leaves it missing. */
export function findingOfResult({ code, text, parameters }: StatusResult): Finding {
  const {
    ReceiptNo: receipt,
    TransactionStatus: status = '',
    Amount: amount,
    FinalisedTime: at,
  } = parameters;
  // That it is about our payment is seen in its amount alone.
  if (code !== '0' || status !== 'Completed' || receipt === undefined || amount === undefined) {
    return { kind: 'unknown', text: cutText(`no receipt: ${code} ${status || text}`, 200) };
  }
  const amountMinor = parseAmount(amount, 'KES');
  if (amountMinor === undefined) return { kind: 'unknown', text: 'no receipt: an amount that is none' };
  return {
    kind: 'succeeded',
    code,
    text,
    currency: 'KES',
    receipt,
    amountMinor,
    ...(at !== undefined && /^\d{14}$/.test(at) ? { details: { transaction_date: at } } : {}),
  };
}
