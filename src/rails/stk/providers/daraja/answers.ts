import { cutText } from '../../../../domain/cut-text';
import type { ErrorCode } from '../../../../domain/errors';
import type { SubmissionResult, ProviderResult } from '../../../../domain/outcome';
import { isRejectedByProvider, type ProviderResponse } from '../../../../rail-kit/provider-http';
import { fieldNamedIn, type WireField } from '../../../../rail-kit/provider-words';
import { resultOf, type Result } from './result-codes';

type Answer = ProviderResponse | { kind: 'account_refused'; text: string };

interface Envelope {
  errorCode: string;
  errorMessage: string;
}

/** The provider rejected the access token. */
const tokenError = /^(?:404\.001\.03|400\.003\.01)$/;

/**
 * Rejections that prove, with any HTTP status, that nothing was done. One code can mean several things, so the message
 * is checked too: only the messages in this list are known rejections.
 */
export const errorCodes: { code: RegExp; text?: RegExp; means: ErrorCode | 'not_sent' }[] = [
  { code: /^500\.001\.1001$/, text: /lock subscriber/i, means: 'CUSTOMER_BUSY' },
  { code: /^500\.001\.1001$/, text: /wrong credentials/i, means: 'PROVIDER_ACCOUNT_REFUSED' },
  { code: /^500\.001\.1001$/, text: /merchant does not exist/i, means: 'PROVIDER_ACCOUNT_REFUSED' },
  { code: tokenError, means: 'PROVIDER_ACCOUNT_REFUSED' },
  // Too many requests, at once or in total. Rejected before any effect, so the request may be sent again.
  { code: /^500\.003\.02$/, text: /spike arrest/i, means: 'not_sent' },
  { code: /^500\.003\.03$/, text: /quota violation/i, means: 'not_sent' },
];

/** As in `Bad Request - Invalid PhoneNumber`. */
const fields: readonly WireField[] = [
  { match: /phone ?number|party ?a\b/i, field: 'phone_number' },
  { match: /amount/i, field: 'amount' },
  { match: /account ?reference/i, field: 'account_reference' },
  { match: /transaction ?desc/i, field: 'transaction_desc' },
];

/** Only a complete acceptance counts. An unreadable answer means unknown, because the prompt may have been sent. */
export function readSubmission(answer: Answer): SubmissionResult {
  if (answer.kind === 'account_refused') {
    return {
      kind: 'refused',
      publicCode: 'PROVIDER_ACCOUNT_REFUSED',
      providerCode: 'token',
      text: answer.text,
    };
  }
  if (answer.kind !== 'answered') return answer;
  const { status, json, text } = answer;
  if (status === 429) return { kind: 'not_sent', text: 'too many requests' };
  const envelope = envelopeOf(json);
  const listed = envelope && listedError(envelope);
  if (listed) return listed;
  if (isRejectedByProvider(answer))
    return refusedBy(envelope ?? { errorCode: String(status), errorMessage: text });
  if (status === 200 && !envelope) return readBody(json, text);
  return { kind: 'unknown', text: cutText(`${String(status)} ${text}`, 500) };
}

function readBody(json: unknown, text: string): SubmissionResult {
  const body = (json ?? {}) as Record<string, unknown>;
  const { ResponseCode: code, CheckoutRequestID: reference, MerchantRequestID: request } = body;
  const customerMessage = body['CustomerMessage'];
  if (typeof code === 'string' && code !== '0') {
    const description = body['ResponseDescription'];
    return {
      kind: 'refused',
      publicCode: 'PROVIDER_REJECTED_REQUEST',
      providerCode: code,
      text: typeof description === 'string' ? description : '',
    };
  }
  if (code !== '0' || typeof reference !== 'string' || reference === '') return { kind: 'unknown', text };
  return {
    kind: 'accepted',
    providerReference: reference,
    details: {
      merchant_request_id: typeof request === 'string' ? request : '',
      customer_message: typeof customerMessage === 'string' ? customerMessage : '',
    },
  };
}

function listedError({ errorCode, errorMessage }: Envelope): SubmissionResult | undefined {
  const listed = errorCodes.find(
    ({ code, text }) => code.test(errorCode) && (text?.test(errorMessage) ?? true),
  );
  if (listed?.means === 'not_sent') return { kind: 'not_sent', text: errorMessage };
  return (
    listed && {
      kind: 'refused',
      publicCode: listed.means,
      providerCode: errorCode,
      text: errorMessage,
    }
  );
}

function refusedBy({ errorCode, errorMessage }: Envelope): SubmissionResult {
  return {
    kind: 'refused',
    publicCode: 'PROVIDER_REJECTED_REQUEST',
    providerCode: errorCode,
    text: errorMessage,
    ...fieldNamedIn(errorMessage, fields),
  };
}

const unknownCode: Result & { means: 'failed' } = { means: 'failed', isDoubtful: true };

/** The status query contains no receipt, amount or phone number, only the result. */
export function readStatus(answer: Answer, providerReference: string): ProviderResult {
  if (answer.kind !== 'answered') return { kind: 'unknown', text: answer.text };
  const envelope = envelopeOf(answer.json);
  if (envelope) {
    return resultOf('', envelope.errorMessage)?.means === 'open'
      ? { kind: 'open', text: envelope.errorMessage }
      : { kind: 'unknown', text: `${envelope.errorCode} ${envelope.errorMessage}` };
  }
  const body = (answer.json ?? {}) as Record<string, unknown>;
  const code = typeof body['ResultCode'] === 'number' ? String(body['ResultCode']) : body['ResultCode'];
  if (answer.status !== 200 || typeof code !== 'string') return { kind: 'unknown', text: answer.text };
  // An answer about another prompt has no meaning for this one.
  if (body['CheckoutRequestID'] !== providerReference)
    return { kind: 'unknown', text: 'another CheckoutRequestID' };
  const text = typeof body['ResultDesc'] === 'string' ? body['ResultDesc'] : '';
  const { means, isDoubtful, ourAccount } = resultOf(code, text) ?? unknownCode;
  if (means === 'open') return { kind: 'open', text };
  if (means === 'succeeded') return { kind: 'succeeded', code, text, currency: 'KES', providerReference };
  return {
    kind: means,
    code,
    text,
    providerReference,
    ...(isDoubtful && { tentative: true }),
    ...(ourAccount && { ourAccount }),
  };
}

/** The provider no longer accepts our token; nothing else happened. */
export function isTokenError(answer: ProviderResponse): boolean {
  if (answer.kind !== 'answered') return false;
  return answer.status === 401 || tokenError.test(envelopeOf(answer.json)?.errorCode ?? '');
}

function envelopeOf(json: unknown): Envelope | undefined {
  const { errorCode, errorMessage } = (json ?? {}) as Partial<Record<keyof Envelope, unknown>>;
  return typeof errorCode === 'string' && typeof errorMessage === 'string'
    ? { errorCode, errorMessage }
    : undefined;
}
