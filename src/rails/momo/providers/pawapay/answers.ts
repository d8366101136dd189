import { cutText } from '../../../../domain/cut-text';
import type { SubmissionResult } from '../../../../domain/outcome';
import { isRejectedByProvider, type ProviderResponse } from '../../../../rail-kit/provider-http';
import { fieldNamedIn, meaningOf, type WireField } from '../../../../rail-kit/provider-words';
import { errorCodes } from './failure-codes';
import { recordOf } from './transaction';

export type PawapaySubmission =
  | (SubmissionResult & { kind: 'accepted'; needsPage: boolean })
  | Exclude<SubmissionResult, { kind: 'accepted' }>
  /** The provider already has this id. */
  | { kind: 'repeated' };

/**
 * Matched by the code if it names a field, or by the parameter that the message names. Messages about other things also
 * name the provider and the country.
 */
const fields: readonly WireField[] = [
  { match: /phoneNumber|PHONE_NUMBER/, field: 'phone_number' },
  { match: /\bamount\b|AMOUNT/, field: 'amount' },
  { match: /\bcurrency\b|CURRENCY/, field: 'currency' },
  { match: /customerMessage/, field: 'customer_message' },
  { match: /preAuthorisationCode/, field: 'preauth_code' },
  { match: /accountDetails\.provider\b|'provider'|INVALID_PROVIDER/, field: 'provider' },
  { match: /'country'|INVALID_COUNTRY/, field: 'country' },
];

/** This detail records that the provider has ever reported the payment: then the provider received it. */
export const receivedThere = { received_there: 'yes' } as const;

/**
 * A rejection has HTTP 200 with REJECTED, or a 4xx status. An unreadable answer may mean that the payment was accepted.
 */
export function readSubmission(answer: ProviderResponse, id: string): PawapaySubmission {
  if (answer.kind !== 'answered') return answer;
  const { status: httpStatus, text } = answer;
  const body = recordOf(answer.json);
  const reason = recordOf(body['failureReason']);
  const code = reason['failureCode'];
  if (httpStatus === 429) return { kind: 'not_sent', text: 'too many requests' };
  if (httpStatus === 200 && body['status'] === 'ACCEPTED') {
    const needsPage = body['nextStep'] === 'GET_AUTH_URL';
    return { kind: 'accepted', providerReference: id, details: receivedThere, needsPage };
  }
  // The queue status may be here, or only in the status call.
  if (httpStatus === 200 && body['status'] === 'ENQUEUED') {
    return { kind: 'queued', providerReference: id, details: receivedThere };
  }
  if (httpStatus === 200 && body['status'] === 'DUPLICATE_IGNORED') return { kind: 'repeated' };
  const definite = (httpStatus === 200 && body['status'] === 'REJECTED') || isRejectedByProvider(answer);
  if (!definite || code === 'UNKNOWN_ERROR')
    return { kind: 'unknown', text: cutText(`${String(httpStatus)} ${text}`, 500) };
  const providerCode = typeof code === 'string' ? code : String(httpStatus);
  const message = typeof reason['failureMessage'] === 'string' ? reason['failureMessage'] : '';
  return {
    kind: 'refused',
    providerCode,
    ...fieldNamedIn(`${providerCode} ${message}`, fields),
    publicCode:
      meaningOf(errorCodes, providerCode) ??
      (httpStatus === 401 || httpStatus === 403 ? 'PROVIDER_ACCOUNT_REFUSED' : 'PROVIDER_REJECTED_REQUEST'),
    text: message === '' ? text : message,
  };
}
