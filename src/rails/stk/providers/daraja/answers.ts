import { cutText } from '../../../../domain/cut-text';
import type { ErrorCode } from '../../../../domain/errors';
import type { Acceptance, Finding } from '../../../../domain/outcome';
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import { fieldNamedIn, type WireField } from '../../../../rail-kit/provider-words';
import { resultOf, type Result } from './result-codes';

type Answer = ProviderAnswer | { kind: 'account_refused'; text: string };

interface Envelope {
  errorCode: string;
  errorMessage: string;
}

/** The access token was not taken. */
const tokenRefusal = /^(?:404\.001\.03|400\.003\.01)$/;

/**
 * The refusals that prove, whatever HTTP status they come with, that nothing was done. One code stands for several
 * things, so its message is read: only the messages listed here are known to be refusals.
 */
export const refusals: { code: RegExp; text?: RegExp; means: ErrorCode | 'not_sent' }[] = [
  { code: /^500\.001\.1001$/, text: /lock subscriber/i, means: 'CUSTOMER_BUSY' },
  { code: /^500\.001\.1001$/, text: /wrong credentials/i, means: 'PROVIDER_ACCOUNT_REFUSED' },
  { code: /^500\.001\.1001$/, text: /merchant does not exist/i, means: 'PROVIDER_ACCOUNT_REFUSED' },
  { code: tokenRefusal, means: 'PROVIDER_ACCOUNT_REFUSED' },
  // Too many requests, at once or in all: refused before any effect, so it may be sent again.
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

/** An acceptance is believed only in full; what is unreadable is unknown, because the prompt may be out. */
export function readAcceptance(answer: Answer): Acceptance {
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
  const listed = envelope && refusalListed(envelope);
  if (listed) return listed;
  if (isRefusal(answer)) return refusedBy(envelope ?? { errorCode: String(status), errorMessage: text });
  if (status === 200 && !envelope) return readBody(json, text);
  return { kind: 'unknown', text: cutText(`${String(status)} ${text}`, 500) };
}

/** A page of HTML comes from something in between, which knows nothing of the prompt; so does a 408. */
function isRefusal({ status, json }: ProviderAnswer & { kind: 'answered' }): boolean {
  if (status === 401) return true;
  return json !== undefined && status >= 400 && status < 500 && status !== 408;
}

function readBody(json: unknown, text: string): Acceptance {
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

function refusalListed({ errorCode, errorMessage }: Envelope): Acceptance | undefined {
  const listed = refusals.find(
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

function refusedBy({ errorCode, errorMessage }: Envelope): Acceptance {
  return {
    kind: 'refused',
    publicCode: 'PROVIDER_REJECTED_REQUEST',
    providerCode: errorCode,
    text: errorMessage,
    ...fieldNamedIn(errorMessage, fields),
  };
}

const unknownCode: Result & { means: 'failed' } = { means: 'failed', isDoubtful: true };

/** The status query carries no receipt, amount or phone: only how it ended. */
export function readStatus(answer: Answer, providerReference: string): Finding {
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
  // An answer about another prompt says nothing about this one.
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

/** The provider no longer takes our token; nothing else happened. */
export function isTokenRefusal(answer: ProviderAnswer): boolean {
  if (answer.kind !== 'answered') return false;
  return answer.status === 401 || tokenRefusal.test(envelopeOf(answer.json)?.errorCode ?? '');
}

function envelopeOf(json: unknown): Envelope | undefined {
  const { errorCode, errorMessage } = (json ?? {}) as Partial<Record<keyof Envelope, unknown>>;
  return typeof errorCode === 'string' && typeof errorMessage === 'string'
    ? { errorCode, errorMessage }
    : undefined;
}
