import {
  accessToken,
  tokenOf,
  type AccessToken,
  type IssuedToken,
  type TokenCache,
} from '../../../../rail-kit/access-token';
import type { ProviderResponse, ProviderHttp } from '../../../../rail-kit/provider-http';
import type { CardprocSettings } from '../../settings';
import { describe, faultOf, recordOf } from './wire';

/** The documented lifetime, for a token whose expiry date cannot be read. */
const lifeMs = 5 * 60_000;

export function pesapalToken(
  http: ProviderHttp,
  tokens: TokenCache,
  { baseUrl, consumerKey, consumerSecret }: CardprocSettings,
): AccessToken {
  return accessToken(
    tokens,
    { rail: 'cardproc', baseUrl, key: consumerKey, secret: consumerSecret },
    async (timeoutMs) =>
      readToken(
        await http.send({
          call: 'token',
          method: 'POST',
          path: '/api/Auth/RequestToken',
          headers: { accept: 'application/json' },
          body: { consumer_key: consumerKey, consumer_secret: consumerSecret },
          timeoutMs,
        }),
      ),
  );
}

export function readToken(answer: ProviderResponse): IssuedToken {
  if (answer.kind !== 'answered') return { kind: 'unavailable', text: answer.text };
  const { token: reported, expiryDate } = recordOf(answer.json);
  const token = tokenOf(reported);
  const fault = faultOf(answer.json);
  if (answer.status === 200 && !fault && token !== undefined) {
    return { kind: 'token', token, lifeMs: lifeUntil(expiryDate) };
  }
  const isRefused = [400, 401, 403].includes(answer.status) || (answer.status === 200 && fault !== undefined);
  const text = `token call answered ${String(answer.status)} ${fault ? describe(fault) : ''}`.trim();
  return { kind: isRefused ? 'refused' : 'unavailable', text };
}

/** The date is UTC, even if it does not say so. */
function lifeUntil(date: unknown): number {
  const text = typeof date === 'string' ? date : '';
  const at = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(at) ? lifeMs : at - Date.now();
}
