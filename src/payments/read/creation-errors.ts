/** The answers to a request whose payment was not created, the first time and on a repeat. */
import { PaymentError, errorResponses, type ErrorCode } from '../../domain/errors';
import type { PaymentRow } from '../../store/tables';
import { isDatabaseUnavailable } from '../../store/transaction';

type Ended = Pick<PaymentRow, 'state' | 'accepted_at' | 'answered_at' | 'failure_code'>;

/** The columns of a payment that was refused or withdrawn before its provider accepted it. */
export const neverTaken = { state: 'failed', accepted_at: null } as const;

export function wasNeverTaken({
  state,
  accepted_at: acceptedAt,
}: Pick<Ended, 'state' | 'accepted_at'>): boolean {
  return state === neverTaken.state && acceptedAt === neverTaken.accepted_at;
}

/** Whether the merchant was answered with an error, or will be: no provider accepted the payment. */
export function wasAnsweredWithError(payment: Pick<Ended, 'state' | 'accepted_at' | 'answered_at'>): boolean {
  return wasNeverTaken(payment) && payment.answered_at === null;
}

/**
 * True for a payment that ended before anything was started. Its request may be repeated, unless its merchant was answered
 * that it is accepted: then the same request always gets that payment.
 */
export function invitesRepetition(payment: Ended): boolean {
  return wasAnsweredWithError(payment) && errorResponses[errorCodeOf(payment)].status >= 500;
}

/** Why a payment was never accepted, in the code that its merchant received or receives. */
export function errorCodeOf({ failure_code: code }: Pick<Ended, 'failure_code'>): ErrorCode {
  return code !== null && Object.hasOwn(errorResponses, code) ? (code as ErrorCode) : 'SERVICE_UNAVAILABLE';
}

/** The refusals of a request that creates a payment, on any rail. */
export const errorCodesOfCreation = [
  ...(['DUPLICATE_PAYMENT', 'PROVIDER_REJECTED_REQUEST', 'PROVIDER_ACCOUNT_REFUSED'] as const),
  ...(['PROVIDER_UNAVAILABLE', 'PROVIDER_TEMPORARILY_UNAVAILABLE'] as const),
] satisfies ErrorCode[];

/** The refusals of a request that creates a payout. */
export const errorCodesOfPayouts = [
  ...errorCodesOfCreation,
  ...(['FLOAT_INSUFFICIENT', 'OUTFLOW_LIMIT_REACHED'] as const),
] satisfies ErrorCode[];

/** The detail that names the merchant's field that the provider refused. */
export const refusedField = 'refused_field';

export function creationError(
  { payment_id, details }: Pick<PaymentRow, 'payment_id' | 'details'>,
  code: ErrorCode,
): PaymentError {
  const { status } = errorResponses[code];
  const field = status === 400 ? details[refusedField] : undefined;
  return new PaymentError(code, {
    extra: { payment_id },
    ...(status === 503 ? { retryAfterSeconds: 5 } : {}),
    ...(field === undefined ? {} : aboutField(code, field)),
  });
}

/** The field that the provider did not accept, where it names one. */
function aboutField(code: ErrorCode, field: string) {
  const message = `The provider rejected ${field}`;
  return {
    details: [{ field, message }],
    ...(code === 'PROVIDER_REJECTED_REQUEST' ? { message } : {}),
  };
}

/**
 * The database cannot be asked for the result, or not in time: the answer is neither "accepted" nor "nothing was
 * started".
 */
export function creationUnknown(extra: Record<string, string>, cause: unknown): PaymentError {
  return new PaymentError('ACCEPTANCE_UNKNOWN', { extra, retryAfterSeconds: 5, cause });
}

/**
 * The answer where a payment may already exist: a database error leaves the result unknown. Every other error stays
 * as it is.
 */
export function orUnknown(error: unknown, named: Record<string, string> = {}): unknown {
  return isDatabaseUnavailable(error) ? creationUnknown(named, error) : error;
}
