import { providerHttp, type ProviderResponse } from '../../../../rail-kit/provider-http';
import type { ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import type { CardprocSettings } from '../../settings';
import { pesapalToken } from './access-token';
import { faultOf } from './wire';

export type PesapalAnswer =
  | ProviderResponse
  /** The provider rejected our credentials, before any effect. */
  | { kind: 'account_refused'; text: string };

export interface PesapalRequest {
  /** The name of the call in the metrics: `initiate`, `query`, `cancel`, `list_ipns`, `register_ipn`. */
  call: string;
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** Milliseconds that this request may use of the whole call's time. */
  atMostMs?: number;
  /** The request is not sent with fewer milliseconds left; 1 by default. */
  atLeastMs?: number;
}

/** Sends the requests of one call, which share its time. */
export type Ask = (request: PesapalRequest) => Promise<PesapalAnswer>;

/** Calls the provider with a token that is fetched, stored and, when it is rejected, fetched again. */
export function pesapalCalls(settings: CardprocSettings, rail: RailSettings): (call: ProviderCall) => Ask {
  const http = providerHttp('cardproc', settings.baseUrl, rail.observe);
  const tokens = pesapalToken(http, rail.tokens, settings);

  return ({ timeoutMs }) => {
    const deadline = Date.now() + timeoutMs;
    const left = () => deadline - Date.now();

    return async ({ call, method, path, body, atMostMs = timeoutMs, atLeastMs = 1 }) => {
      // A rejected token was rejected before any effect, so the request is repeated once with a new token.
      for (let repeated = false; ; repeated = true) {
        const token = await tokens.get(Math.max(1, left()));
        if (token.kind === 'refused') return { kind: 'account_refused', text: token.text };
        if (token.kind === 'unavailable') return { kind: 'not_sent', text: token.text };
        const leftMs = left();
        if (leftMs < atLeastMs) return { kind: 'not_sent', text: 'no time is left to send it' };
        const answer = await http.send({
          call,
          method,
          path,
          headers: { accept: 'application/json', authorization: `Bearer ${token.token}` },
          ...(body === undefined ? {} : { body }),
          timeoutMs: Math.min(leftMs, atMostMs),
        });
        if (!isTokenRefused(answer)) return answer;
        tokens.forget(token.token);
        if (repeated) return { kind: 'account_refused', text: 'a new token was rejected' };
      }
    };
  };
}

/** Integrations have received the second code, with HTTP 500 and 200 as well as 401. */
const refusedTokens = new Set(['invalid_access_token', 'invalid_api_credentials_provided']);

export function isTokenRefused(answer: PesapalAnswer): boolean {
  if (answer.kind !== 'answered') return false;
  return answer.status === 401 || refusedTokens.has(faultOf(answer.json)?.code ?? '');
}
