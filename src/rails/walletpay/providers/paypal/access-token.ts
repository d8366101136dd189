import {
  accessToken,
  tokenOf,
  type AccessToken,
  type IssuedToken,
  type TokenCache,
} from '../../../../rail-kit/access-token';
import type { ProviderResponse, ProviderHttp } from '../../../../rail-kit/provider-http';
import type { WalletpaySettings } from '../../settings';
import { recordOf } from './wire';

export function paypalToken(
  http: ProviderHttp,
  tokens: TokenCache,
  { baseUrl, clientId, clientSecret }: WalletpaySettings,
): AccessToken {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  return accessToken(
    tokens,
    { rail: 'walletpay', baseUrl, key: clientId, secret: clientSecret },
    async (timeoutMs) =>
      readToken(
        await http.send({
          call: 'token',
          method: 'POST',
          path: '/v1/oauth2/token',
          headers: { authorization },
          form: { grant_type: 'client_credentials' },
          timeoutMs,
        }),
      ),
  );
}

function readToken(answer: ProviderResponse): IssuedToken {
  if (answer.kind !== 'answered') return { kind: 'unavailable', text: answer.text };
  const { access_token: reported, expires_in: seconds } = recordOf(answer.json);
  const token = tokenOf(reported);
  if (answer.status === 200 && token !== undefined) {
    return { kind: 'token', token, lifeMs: (Number(seconds) || 0) * 1_000 };
  }
  const isRefused = answer.status === 400 || answer.status === 401 || answer.status === 403;
  const text = `token call answered ${String(answer.status)}`;
  return { kind: isRefused ? 'refused' : 'unavailable', text };
}
