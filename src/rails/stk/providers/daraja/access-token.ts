import {
  accessToken,
  tokenOf,
  type AccessToken,
  type GivenToken,
  type TokenShelf,
} from '../../../../rail-kit/access-token';
import type { ProviderAnswer, ProviderHttp } from '../../../../rail-kit/provider-http';
import type { StkSettings } from '../../settings';

/** What the provider documents, where it does not say a time that can be read. */
const lifeMs = 3_599_000;

export function darajaToken(
  http: ProviderHttp,
  shelf: TokenShelf,
  { baseUrl, consumerKey, consumerSecret }: StkSettings,
): AccessToken {
  const authorization = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
  return accessToken(
    shelf,
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

function readToken(answer: ProviderAnswer): GivenToken {
  if (answer.kind !== 'answered') return { kind: 'unavailable', text: answer.text };
  const body = (answer.json ?? {}) as { access_token?: unknown; expires_in?: unknown };
  const token = tokenOf(body.access_token);
  if (answer.status === 200 && token !== undefined) {
    // expires_in is a text of seconds.
    const toldMs = Number(body.expires_in) * 1_000;
    return { kind: 'token', token, lifeMs: toldMs > 0 ? toldMs : lifeMs };
  }
  const kind =
    answer.status >= 400 && answer.status < 500 && answer.status !== 429 ? 'refused' : 'unavailable';
  return { kind, text: `token call answered ${String(answer.status)}` };
}
