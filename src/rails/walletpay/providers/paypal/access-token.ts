import type { ProviderAnswer, ProviderHttp } from '../../../../payments/provider-http';
import { recordOf } from './wire';

/** A token, or why there is none: `refused` is about our own credentials. */
export type TokenAnswer =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; text: string }
  | { kind: 'unavailable'; text: string };

/** Refreshed this long before the provider would refuse it. */
const refreshEarlyMs = 60_000;

/** The bearer token, kept until shortly before it expires and asked for once at a time, however many wait for it. */
export function accessToken(http: ProviderHttp, clientId: string, clientSecret: string) {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  let held: { token: string; until: number } | undefined;
  let asking: Promise<TokenAnswer> | undefined;

  async function ask(timeoutMs: number): Promise<TokenAnswer> {
    const answer = await http.send({
      call: 'token',
      method: 'POST',
      path: '/v1/oauth2/token',
      headers: { authorization },
      form: { grant_type: 'client_credentials' },
      timeoutMs,
    });
    const read = readToken(answer);
    if (read.kind === 'token') held = { token: read.token, until: Date.now() + read.lifeMs - refreshEarlyMs };
    return read;
  }

  return {
    async get(timeoutMs: number): Promise<TokenAnswer> {
      if (held && Date.now() < held.until) return { kind: 'token', token: held.token };
      asking ??= ask(timeoutMs).finally(() => (asking = undefined));
      return asking;
    },
    /** Forgets a token the provider no longer takes, unless it has been replaced already. */
    forget(token: string): void {
      if (held?.token === token) held = undefined;
    },
  };
}

function readToken(answer: ProviderAnswer): TokenAnswer & { lifeMs: number } {
  if (answer.kind !== 'answered') return { kind: 'unavailable', text: answer.text, lifeMs: 0 };
  const { access_token: token, expires_in: seconds } = recordOf(answer.json);
  // It goes into a header, so nothing is taken that does not belong there.
  if (answer.status === 200 && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
    return { kind: 'token', token, lifeMs: (Number(seconds) || 0) * 1_000 };
  }
  const kind = answer.status === 400 || answer.status === 401 || answer.status === 403;
  const text = `token call answered ${String(answer.status)}`;
  return { kind: kind ? 'refused' : 'unavailable', text, lifeMs: 0 };
}
