import { cutText } from '../../../../domain/cut-text';
import type { ErrorCode } from '../../../../domain/errors';
import type { SubmissionResult } from '../../../../domain/outcome';
import type { PaypalAnswer } from './calls';
import { fieldNamedIn, meaningOf, type WireField } from '../../../../rail-kit/provider-words';
import { readError, wordOf } from './wire';

export type NotAccepted = Exclude<SubmissionResult, { kind: 'accepted' | 'queued' }>;

/** `not_sent`: rejected before any effect. `unknown`: it may have been accepted, or is being accepted. */
type Meaning = ErrorCode | 'not_sent' | 'unknown';

/** By issue, or by the error's name without an issue. */
export const orderErrorCodes: Readonly<Record<string, Meaning>> = {
  CURRENCY_NOT_SUPPORTED: 'UNSUPPORTED_CURRENCY',
  INVALID_CURRENCY_CODE: 'UNSUPPORTED_CURRENCY',
  DECIMAL_PRECISION: 'INVALID_AMOUNT',
  CANNOT_BE_ZERO_OR_NEGATIVE: 'INVALID_AMOUNT',
  AMOUNT_CANNOT_BE_SPECIFIED: 'INVALID_AMOUNT',
  MAX_VALUE_EXCEEDED: 'AMOUNT_OUT_OF_RANGE',
  TRANSACTION_LIMIT_EXCEEDED: 'AMOUNT_OUT_OF_RANGE',
  // Our own account: an operator must act.
  PAYEE_ACCOUNT_INVALID: 'PROVIDER_ACCOUNT_REFUSED',
  PAYEE_ACCOUNT_LOCKED_OR_CLOSED: 'PROVIDER_ACCOUNT_REFUSED',
  PAYEE_ACCOUNT_NOT_SUPPORTED: 'PROVIDER_ACCOUNT_REFUSED',
  PAYEE_ACCOUNT_NOT_VERIFIED: 'PROVIDER_ACCOUNT_REFUSED',
  PAYEE_ACCOUNT_RESTRICTED: 'PROVIDER_ACCOUNT_REFUSED',
  PERMISSION_DENIED: 'PROVIDER_ACCOUNT_REFUSED',
  NOT_AUTHORIZED: 'PROVIDER_ACCOUNT_REFUSED',
  PREVIOUS_REQUEST_IN_PROGRESS: 'unknown',
  RATE_LIMIT_REACHED: 'not_sent',
};

/** PayPal, Payments v2, `captures.refund-422`. For any other issue the request was rejected. */
export const refundErrorCodes: Readonly<Record<string, Meaning>> = {
  CAPTURE_FULLY_REFUNDED: 'REFUND_EXCEEDS_REMAINDER',
  REFUND_AMOUNT_EXCEEDED: 'REFUND_EXCEEDS_REMAINDER',
  REFUND_TIME_LIMIT_EXCEEDED: 'REFUND_TOO_LATE',
  REFUND_TIME_EXCEEDED_FOR_PAYMENT_SOURCE: 'REFUND_TOO_LATE',
  PENDING_CAPTURE: 'DEPOSIT_NOT_COMPLETED',
  // Our own account: its balance and permissions.
  REFUND_FAILED_INSUFFICIENT_FUNDS: 'PROVIDER_ACCOUNT_REFUSED',
  REFUND_FUNDS_NOT_AVAILABLE: 'PROVIDER_ACCOUNT_REFUSED',
  REFUND_IS_RESTRICTED: 'PROVIDER_ACCOUNT_REFUSED',
  PAYEE_ACCOUNT_LOCKED_OR_CLOSED: 'PROVIDER_ACCOUNT_REFUSED',
  PAYEE_ACCOUNT_RESTRICTED: 'PROVIDER_ACCOUNT_REFUSED',
  PERMISSION_DENIED: 'PROVIDER_ACCOUNT_REFUSED',
  NOT_AUTHORIZED: 'PROVIDER_ACCOUNT_REFUSED',
  // A refund with our id exists: this one, submitted before.
  DUPLICATE_INVOICE_ID: 'unknown',
  PREVIOUS_REQUEST_IN_PROGRESS: 'unknown',
  RATE_LIMIT_REACHED: 'not_sent',
};

export const payoutErrorCodes: Readonly<Record<string, Meaning>> = {
  // Our own account: its balance, permissions and currencies.
  INSUFFICIENT_FUNDS: 'PROVIDER_ACCOUNT_REFUSED',
  SENDER_RESTRICTED: 'PROVIDER_ACCOUNT_REFUSED',
  SENDER_EMAIL_UNCONFIRMED: 'PROVIDER_ACCOUNT_REFUSED',
  AUTHORIZATION_ERROR: 'PROVIDER_ACCOUNT_REFUSED',
  NON_HOLDING_CURRENCY: 'PROVIDER_ACCOUNT_REFUSED',
  // The request.
  VALIDATION_ERROR: 'PROVIDER_REJECTED_REQUEST',
  INVALID_REQUEST: 'PROVIDER_REJECTED_REQUEST',
  RATE_LIMIT_VALIDATION: 'not_sent',
  RATE_LIMIT_REACHED: 'not_sent',
  REQUEST_TIMEOUT_EXCEEDED: 'unknown',
  PREVIOUS_REQUEST_IN_PROGRESS: 'unknown',
  INTERNAL_SERVER_ERROR: 'unknown',
  // The provider's error for a known sender_batch_id. It has other meanings too, and so does not prove that nothing was
  // paid.
  USER_BUSINESS_ERROR: 'unknown',
};

/** The last part of the provider's paths. The currency is the provider's, not the one that the merchant requested. */
const fields: readonly WireField[] = [
  { match: /receiver$/, field: 'recipient_email' },
  { match: /note$/, field: 'note' },
  { match: /currency(?:_code)?$/, field: 'currency' },
  { match: /amount|value$/, field: 'amount' },
  { match: /description$/, field: 'order_id' },
];

/** The meaning of a rejection that is in no table. All other answers prove nothing. */
const byStatus: Readonly<Record<string, Meaning>> = {
  '400': 'PROVIDER_REJECTED_REQUEST',
  '403': 'PROVIDER_ACCOUNT_REFUSED',
  '404': 'PROVIDER_ACCOUNT_REFUSED',
  '415': 'PROVIDER_REJECTED_REQUEST',
  '422': 'PROVIDER_REJECTED_REQUEST',
};

/** The result of a submission that was not accepted. Only the provider's own error is a rejection. */
export function notAccepted(answer: PaypalAnswer, table: Readonly<Record<string, Meaning>>): NotAccepted {
  if (answer.kind === 'account_refused') return refused('PROVIDER_ACCOUNT_REFUSED', 'token', answer.text);
  if (answer.kind !== 'answered') return answer;
  const error = readError(answer);
  const unknown = { kind: 'unknown', text: cutText(`${String(answer.status)} ${answer.text}`, 500) } as const;
  if (answer.status === 429) return { kind: 'not_sent', text: error?.name ?? 'too many requests' };
  if (!error || answer.status >= 500) return unknown;
  const means =
    meaningOf(table, error.issue) ??
    meaningOf(table, error.name) ??
    meaningOf(byStatus, String(error.status));
  if (means === undefined || means === 'unknown') return unknown;
  const text = error.description || error.message;
  if (means === 'not_sent') return { kind: 'not_sent', text };
  return { ...refused(means, wordOf(error.issue) || error.name, text), ...fieldNamedIn(error.field, fields) };
}

function refused(publicCode: ErrorCode, providerCode: string, text: string): NotAccepted {
  return { kind: 'refused', publicCode, providerCode, text: cutText(text, 500) };
}
