import { providerHttp, type ProviderResponse } from '../../../../rail-kit/provider-http';
import type { ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import type { WalletpaySettings } from '../../settings';
import { paypalToken } from './access-token';
import { readError } from './wire';

export type PaypalAnswer =
  | ProviderResponse
  /** The provider rejected our credentials, before any effect. */
  | { kind: 'account_refused'; text: string };

export interface PaypalRequest {
  /** The name of the call in the metrics: `initiate`, `query`, `capture`. */
  call: string;
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** Sent instead of a body: JSON that must not be serialised again. */
  rawBody?: string;
  /** The provider repeats its first answer for this key. */
  requestKey?: string;
  /** Milliseconds that this request may use of the whole call's time. */
  atMostMs?: number;
  /** The maximal answer size, for an answer that is a whole page of a statement. */
  answerBytesMax?: number;
}

/** Sends the requests of one call, which share its time. */
export type Ask = (request: PaypalRequest) => Promise<PaypalAnswer>;

/** Starts a call, whose requests share its time. */
export type Begin = (call: ProviderCall) => Ask;

/** With less time left, the request could be sent but not answered. */
const shortestMs = 50;

/** Calls the provider with a token that is fetched, stored and, when it is rejected, fetched again. */
export function paypalCalls(settings: WalletpaySettings, rail: RailSettings): Begin {
  const http = providerHttp('walletpay', settings.baseUrl, rail.observe);
  const tokens = paypalToken(http, rail.tokens, settings);

  return ({ timeoutMs, requestId }) => {
    const deadline = Date.now() + timeoutMs;
    const left = () => Math.max(1, deadline - Date.now());

    return async ({ call, method, path, body, rawBody, requestKey, atMostMs = timeoutMs, ...rest }) => {
      const headers = {
        ...(requestKey === undefined ? {} : { 'PayPal-Request-Id': requestKey }),
        // The answer contains the whole order with its custom_id, which proves the payment it belongs to.
        ...(method === 'POST' ? { Prefer: 'return=representation' } : {}),
      };
      // A rejected token was rejected before any effect, so the request is repeated once with a new token.
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
        logError(call, answer);
        if (answer.kind !== 'answered' || answer.status !== 401) return answer;
        tokens.forget(token.token);
        if (repeated) return { kind: 'account_refused', text: 'a new token was rejected' };
      }
    };

    /** The provider's support asks for the debug id only. */
    function logError(call: string, answer: ProviderResponse): void {
      const error = readError(answer);
      if (!error) return;
      const { status, name, issue, debugId } = error;
      const fields = { call, status, name, issue, debug_id: debugId, request_id: requestId };
      rail.log.warn('the wallet provider rejected a call', fields);
    }
  };
}
