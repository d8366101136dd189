/** What a request is answered whose payment was not taken, then and when it is made again. */
import { PaymentError, errorResponses, type ErrorCode } from '../../domain/errors';
import type { PaymentRow } from '../../store/tables';
import { isDatabaseUnavailable } from '../../store/transaction';

type Ended = Pick<PaymentRow, 'state' | 'accepted_at' | 'failure_code'>;

/** What shows a payment that was refused, or withdrawn, before its provider took it. */
export const neverTaken = { state: 'failed', accepted_at: null } as const;

export function wasNeverTaken({ state, accepted_at: acceptedAt }: Ended): boolean {
  return state === neverTaken.state && acceptedAt === neverTaken.accepted_at;
}

/** True for a payment that ended before anything was started, so that its request may be made again. */
export function invitesRepetition(payment: Ended): boolean {
  return wasNeverTaken(payment) && errorResponses[refusalCodeOf(payment)].status >= 500;
}

/** Why a payment was never taken, in the words its merchant was, or is, told. */
export function refusalCodeOf({ failure_code: code }: Pick<Ended, 'failure_code'>): ErrorCode {
  return code !== null && Object.hasOwn(errorResponses, code) ? (code as ErrorCode) : 'SERVICE_UNAVAILABLE';
}

/** What a request that starts a payment may be refused with, whatever the rail. */
export const refusalsOfAcceptance = [
  ...(['DUPLICATE_PAYMENT', 'PROVIDER_REJECTED_REQUEST', 'PROVIDER_ACCOUNT_REFUSED'] as const),
  ...(['PROVIDER_UNAVAILABLE', 'PROVIDER_TEMPORARILY_UNAVAILABLE'] as const),
] satisfies ErrorCode[];

/** The same of one that pays out. */
export const refusalsOfPayouts = [
  ...refusalsOfAcceptance,
  ...(['FLOAT_INSUFFICIENT', 'OUTFLOW_LIMIT_REACHED'] as const),
] satisfies ErrorCode[];

/** The detail that names the merchant's field which the provider refused. */
export const refusedField = 'refused_field';

export function refusal(
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

/** Which field the provider did not accept, where it says so. */
function aboutField(code: ErrorCode, field: string) {
  const message = `The provider did not accept ${field}`;
  return {
    details: [{ field, message }],
    ...(code === 'PROVIDER_REJECTED_REQUEST' ? { message } : {}),
  };
}

/** The database cannot be asked what became of it, or not in time: neither "accepted" nor "nothing was started". */
export function acceptanceUnknown(extra: Record<string, string>, cause: unknown): PaymentError {
  return new PaymentError('ACCEPTANCE_UNKNOWN', { extra, retryAfterSeconds: 5, cause });
}

/** What is told where something may have been started already: a lost database leaves that open, all else stands. */
export function orUnknown(error: unknown, named: Record<string, string> = {}): unknown {
  return isDatabaseUnavailable(error) ? acceptanceUnknown(named, error) : error;
}
