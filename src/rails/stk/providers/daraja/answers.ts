import type { ErrorCode } from '../../../../domain/errors';
import type { Acceptance, Finding } from '../../../../domain/outcome';
import type { ProviderAnswer } from '../../../../payments/provider-http';
import { fieldNamedIn, type WireField } from '../../../../payments/provider-words';
import { resultOfCode } from './result-codes';

type Answer = ProviderAnswer | { kind: 'account_refused'; text: string };

interface Envelope {
  errorCode: string;
  errorMessage: string;
}

/** What a refusal means, by its code and words: one code stands for several things, so its message is read. */
const refusals: { code?: RegExp; text?: RegExp; means: ErrorCode | 'not_sent' }[] = [
  { code: /^500\.001\.1001$/, text: /lock/i, means: 'CUSTOMER_BUSY' },
  { code: /^500\.001\.1001$/, text: /credential|merchant/i, means: 'PROVIDER_ACCOUNT_REFUSED' },
  { code: /^404\.001\.03$/, means: 'PROVIDER_ACCOUNT_REFUSED' },
  // Too many requests: refused before any effect, so it may be sent again.
  { code: /^500\.003\.02$/, means: 'not_sent' },
  { code: /^4\d\d\./, means: 'PROVIDER_REJECTED_REQUEST' },
  { code: /^5\d\d\./, means: 'PROVIDER_UNAVAILABLE' },
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
  if (envelope) return refusalOf(envelope);
  if (status === 200) return readBody(json, text);
  if (status >= 400 && status < 500) {
    return { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST', providerCode: String(status), text };
  }
  return { kind: 'unknown', text: `${String(status)} ${text}`.slice(0, 500) };
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

function refusalOf({ errorCode, errorMessage }: Envelope): Acceptance {
  const means =
    refusals.find(({ code, text }) => (code?.test(errorCode) ?? true) && (text?.test(errorMessage) ?? true))
      ?.means ?? 'PROVIDER_REJECTED_REQUEST';
  if (means === 'not_sent') return { kind: 'not_sent', text: errorMessage };
  return {
    kind: 'refused',
    publicCode: means,
    providerCode: errorCode,
    text: errorMessage,
    ...fieldNamedIn(errorMessage, fields),
  };
}

/** The status query carries no receipt, amount or phone: only how it ended. */
export function readStatus(answer: Answer, providerReference: string): Finding {
  if (answer.kind !== 'answered') return { kind: 'unknown', text: answer.text };
  const envelope = envelopeOf(answer.json);
  if (envelope) {
    return /being processed/i.test(envelope.errorMessage)
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
  const result = resultOfCode(code);
  if (result === 'open') return { kind: 'open', text };
  if (result === 'succeeded') return { kind: 'succeeded', code, text, currency: 'KES', providerReference };
  return result === undefined
    ? { kind: 'failed', code, text, tentative: true, providerReference }
    : { kind: result, code, text, providerReference };
}

/** The provider no longer takes our token; nothing else happened. */
export function isTokenRefusal(answer: ProviderAnswer): boolean {
  if (answer.kind !== 'answered') return false;
  return answer.status === 401 || envelopeOf(answer.json)?.errorCode === '404.001.03';
}

function envelopeOf(json: unknown): Envelope | undefined {
  const { errorCode, errorMessage } = (json ?? {}) as Partial<Record<keyof Envelope, unknown>>;
  return typeof errorCode === 'string' && typeof errorMessage === 'string'
    ? { errorCode, errorMessage }
    : undefined;
}
