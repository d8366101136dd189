/**
 * Transaction Status: it returns the receipt, the payment's id in the network's books. Safaricom's documentation of the
 * API says that it needs the receipt or the OriginatorConversationID of the payment; a CheckoutRequestID is neither. It
 * is not documented that a prompt's MerchantRequestID is its OriginatorConversationID. Public results of such payments
 * ("Pay Bill Online") contain one of the same form. So a result counts only if it has our id.
 */
import { cutText } from '../../../../domain/cut-text';
import { parseAmount } from '../../../../domain/money';
import type { ProviderResult } from '../../../../domain/outcome';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';
import type { PaymentRow } from '../../../../store/tables';
import type { StkSettings } from '../../settings';
import { recordOf, textOf } from './wire';
import { wireJson } from '../../../../rail-kit/wire-json';

/** The identifier type of a shortcode in the provider's documentation. */
export const shortcodeType = '4';

export type Initiator = NonNullable<StkSettings['initiator']>;

/** The provider's id of the payment apart from its prompt; empty if the answer to the submission was lost. */
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

/** The acceptance itself says nothing: the result arrives at an address of its own. */
export function readStatusSubmission(
  answer: ProviderResponse | { kind: 'account_refused'; text: string },
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
  /** By the keys of its ResultParameters. Some keys are repeated, and some have no value. */
  parameters: Record<string, string>;
}

/** @returns undefined for anything that is not a result. */
export function readStatusResult(body: string): StatusResult | undefined {
  const result = recordOf(recordOf(wireJson(body))['Result']);
  const code = textOf(result['ResultCode']);
  if (code === '') return undefined;
  const reported = recordOf(result['ResultParameters'])['ResultParameter'];
  const parameters: Record<string, string> = {};
  for (const each of Array.isArray(reported) ? reported : [reported]) {
    const { Key: key, Value: value } = recordOf(each);
    if (typeof key === 'string' && textOf(value) !== '') parameters[key] = textOf(value);
  }
  return { code, text: textOf(result['ResultDesc']), parameters };
}

/** Only a completed payment has a receipt; otherwise it stays missing. */
export function resultOfStatus({ code, text, parameters }: StatusResult): ProviderResult {
  const {
    ReceiptNo: receipt,
    TransactionStatus: status = '',
    Amount: amount,
    FinalisedTime: at,
  } = parameters;
  // Only the amount shows whether the result belongs to our payment.
  if (code !== '0' || status !== 'Completed' || receipt === undefined || amount === undefined) {
    return { kind: 'unknown', text: cutText(`no receipt: ${code} ${status || text}`, 200) };
  }
  const amountMinor = parseAmount(amount, 'KES');
  if (amountMinor === undefined) return { kind: 'unknown', text: 'no receipt: the amount cannot be read' };
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
