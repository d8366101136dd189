import type { ProviderAnswer, ProviderHttp } from '../../../../payments/provider-http';

/** A token, or why there is none: `refused` is about our own credentials. */
export type TokenAnswer =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; text: string }
  | { kind: 'unavailable'; text: string };

/** Refreshed this long before the provider would refuse it. */
const refreshEarlyMs = 60_000;

/** The bearer token, kept until shortly before it expires and asked for once at a time, however many wait for it. */
export function accessToken(http: ProviderHttp, consumerKey: string, consumerSecret: string) {
  const authorization = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
  let held: { token: string; until: number } | undefined;
  let asking: Promise<TokenAnswer> | undefined;

  async function ask(timeoutMs: number): Promise<TokenAnswer> {
    const answer = await http.send({
      call: 'token',
      method: 'GET',
      path: '/oauth/v1/generate?grant_type=client_credentials',
      headers: { authorization },
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
  const body = (answer.json ?? {}) as { access_token?: unknown; expires_in?: unknown };
  if (answer.status === 200 && typeof body.access_token === 'string' && body.access_token !== '') {
    // expires_in is a text of seconds.
    return { kind: 'token', token: body.access_token, lifeMs: (Number(body.expires_in) || 0) * 1_000 };
  }
  const kind =
    answer.status >= 400 && answer.status < 500 && answer.status !== 429 ? 'refused' : 'unavailable';
  return { kind, text: `token call answered ${String(answer.status)}`, lifeMs: 0 };
}
