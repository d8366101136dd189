import { providerHttp, type ProviderAnswer } from '../../../../rail-kit/provider-http';
import type { ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import type { WalletpaySettings } from '../../settings';
import { paypalToken } from './access-token';
import { readError } from './wire';

export type PaypalAnswer =
  | ProviderAnswer
  /** Our own credentials were refused; nothing else happened. */
  | { kind: 'account_refused'; text: string };

export interface PaypalRequest {
  /** What is asked for, in the metrics: `initiate`, `query`, `capture`. */
  call: string;
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** Sent instead of a body: JSON that must not be written anew. */
  rawBody?: string;
  /** The provider gives its first answer again to whoever repeats this key. */
  requestKey?: string;
  /** Milliseconds this request may take out of those of the whole call. */
  atMostMs?: number;
  /** Of an answer that is a whole page of a statement. */
  answerBytesMax?: number;
}

/** Sends the requests of one call, which share its time. */
export type Ask = (request: PaypalRequest) => Promise<PaypalAnswer>;

/** Begins a call, whose requests share its time. */
export type Begin = (call: ProviderCall) => Ask;

/** With less than this left, a request could only be sent and not be answered. */
const shortestMs = 50;

/** Speaks to the provider with a token that is fetched, kept and, once it is refused, fetched anew. */
export function paypalCalls(settings: WalletpaySettings, rail: RailSettings): Begin {
  const http = providerHttp('walletpay', settings.baseUrl, rail.observe);
  const tokens = paypalToken(http, rail.tokens, settings);

  return ({ timeoutMs, requestId }) => {
    const deadline = Date.now() + timeoutMs;
    const left = () => Math.max(1, deadline - Date.now());

    return async ({ call, method, path, body, rawBody, requestKey, atMostMs = timeoutMs, ...rest }) => {
      const headers = {
        ...(requestKey === undefined ? {} : { 'PayPal-Request-Id': requestKey }),
        // The whole order comes back, its custom_id included, so that an answer proves which payment it is about.
        ...(method === 'POST' ? { Prefer: 'return=representation' } : {}),
      };
      // A refused token was refused before any effect, so the request is repeated once with a new one.
      for (let repeated = false; ; repeated = true) {
        if (left() < shortestMs) return { kind: 'not_sent', text: 'no time left' };
        const token = await tokens.get(left());
        if (token.kind === 'refused') return { kind: 'account_refused', text: token.text };
        if (token.kind === 'unavailable') return { kind: 'not_sent', text: token.text };
        const answer = await http.send({
          call,
          method,
          path,
          headers: { ...headers, authorization: `Bearer ${token.token}` },
          ...(body === undefined ? {} : { body }),
          ...(rawBody === undefined ? {} : { rawBody }),
          timeoutMs: Math.min(left(), atMostMs),
          ...rest,
        });
        logRefusal(call, answer);
        if (answer.kind !== 'answered' || answer.status !== 401) return answer;
        tokens.forget(token.token);
        if (repeated) return { kind: 'account_refused', text: 'a new token was refused' };
      }
    };

    /** The provider's support asks for the debug id, and for nothing else. */
    function logRefusal(call: string, answer: ProviderAnswer): void {
      const error = readError(answer);
      if (!error) return;
      const { status, name, issue, debugId } = error;
      const fields = { call, status, name, issue, debug_id: debugId, request_id: requestId };
      rail.log.warn('the wallet provider refused a call', fields);
    }
  };
}
