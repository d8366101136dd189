import { accessToken, type AccessToken, type GivenToken } from '../../../../payments/access-token';
import type { ProviderAnswer, ProviderHttp } from '../../../../payments/provider-http';

/** Refreshed this long before the provider would refuse it. */
const refreshEarlyMs = 60_000;

export function darajaToken(http: ProviderHttp, consumerKey: string, consumerSecret: string): AccessToken {
  const authorization = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
  return accessToken(async (timeoutMs) =>
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
  if (answer.status === 200 && typeof body.access_token === 'string' && body.access_token !== '') {
    // expires_in is a text of seconds.
    const lifeMs = (Number(body.expires_in) || 0) * 1_000;
    return { kind: 'token', token: body.access_token, until: Date.now() + lifeMs - refreshEarlyMs };
  }
  const kind =
    answer.status >= 400 && answer.status < 500 && answer.status !== 429 ? 'refused' : 'unavailable';
  return { kind, text: `token call answered ${String(answer.status)}` };
}
