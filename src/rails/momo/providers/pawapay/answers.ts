import { cutText } from '../../../../domain/cut-text';
import type { Acceptance } from '../../../../domain/outcome';
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import { fieldNamedIn, meaningOf, type WireField } from '../../../../rail-kit/provider-words';
import { refusals } from './failure-codes';
import { recordOf } from './transaction';

export type InitiationAnswer =
  | (Acceptance & { kind: 'accepted'; needsPage: boolean })
  | Exclude<Acceptance, { kind: 'accepted' }>
  /** The provider has this id already. */
  | { kind: 'repeated' };

/**
 * By the code where that names a field, or by the parameter that its sentence names. The provider and the country are
 * named in sentences about other things, too.
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

/** The detail that keeps whether the provider has ever answered for a payment, or told of it: then it was received. */
export const receivedThere = { received_there: 'yes' } as const;

/** A refusal comes with HTTP 200 and REJECTED, or with 4xx; what is unreadable may have been accepted. */
export function readAcceptance(answer: ProviderAnswer, id: string): InitiationAnswer {
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
  // It may be told here, or only by the status call.
  if (httpStatus === 200 && body['status'] === 'ENQUEUED') {
    return { kind: 'queued', providerReference: id, details: receivedThere };
  }
  if (httpStatus === 200 && body['status'] === 'DUPLICATE_IGNORED') return { kind: 'repeated' };
  const definite =
    (httpStatus === 200 && body['status'] === 'REJECTED') || (httpStatus >= 400 && httpStatus < 500);
  if (!definite || code === 'UNKNOWN_ERROR')
    return { kind: 'unknown', text: cutText(`${String(httpStatus)} ${text}`, 500) };
  const providerCode = typeof code === 'string' ? code : String(httpStatus);
  const message = typeof reason['failureMessage'] === 'string' ? reason['failureMessage'] : '';
  return {
    kind: 'refused',
    providerCode,
    ...fieldNamedIn(`${providerCode} ${message}`, fields),
    publicCode:
      meaningOf(refusals, providerCode) ??
      (httpStatus === 401 || httpStatus === 403 ? 'PROVIDER_ACCOUNT_REFUSED' : 'PROVIDER_REJECTED_REQUEST'),
    text: message === '' ? text : message,
  };
}
