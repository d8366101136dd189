import {
  accessToken,
  tokenOf,
  type AccessToken,
  type IssuedToken,
  type TokenCache,
} from '../../../../rail-kit/access-token';
import type { ProviderResponse, ProviderHttp } from '../../../../rail-kit/provider-http';
import type { StkSettings } from '../../settings';

/** The documented lifetime, if the answer has none that can be read. */
const lifeMs = 3_599_000;

export function darajaToken(
  http: ProviderHttp,
  tokens: TokenCache,
  { baseUrl, consumerKey, consumerSecret }: StkSettings,
): AccessToken {
  const authorization = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
  return accessToken(
    tokens,
    { rail: 'stk', baseUrl, key: consumerKey, secret: consumerSecret },
    async (timeoutMs) =>
      readToken(
        await http.send({
          call: 'token',
          method: 'GET',
          path: '/oauth/v1/generate?grant_type=client_credentials',
          headers: { authorization },
          timeoutMs,
        }),
      ),
  );
}

function readToken(answer: ProviderResponse): IssuedToken {
  if (answer.kind !== 'answered') return { kind: 'unavailable', text: answer.text };
  const body = (answer.json ?? {}) as { access_token?: unknown; expires_in?: unknown };
  const token = tokenOf(body.access_token);
  if (answer.status === 200 && token !== undefined) {
    // expires_in is a text of seconds.
    const reportedMs = Number(body.expires_in) * 1_000;
    return { kind: 'token', token, lifeMs: reportedMs > 0 ? reportedMs : lifeMs };
  }
  const kind =
    answer.status >= 400 && answer.status < 500 && answer.status !== 429 ? 'refused' : 'unavailable';
  return { kind, text: `token call answered ${String(answer.status)}` };
}
