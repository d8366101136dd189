import type { ProviderAnswer, ProviderHttp } from '../../../../payments/provider-http';
import type { CardprocSettings } from '../../settings';
import { describe, faultOf, recordOf } from './wire';

/** A token, or why there is none: `refused` is about our own credentials. */
export type TokenAnswer =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; text: string }
  | { kind: 'unavailable'; text: string };

/** Refreshed this long before the provider would refuse it. */
const refreshEarlyMs = 30_000;
/** Tokens live for five minutes where their own date cannot be read. */
const lifeMs = 4 * 60_000;

/** The bearer token, kept until shortly before it expires and asked for once at a time, however many wait for it. */
export function accessToken(http: ProviderHttp, { consumerKey, consumerSecret }: CardprocSettings) {
  let held: { token: string; until: number } | undefined;
  let asking: Promise<TokenAnswer> | undefined;

  async function ask(timeoutMs: number): Promise<TokenAnswer> {
    const answer = await http.send({
      call: 'token',
      method: 'POST',
      path: '/api/Auth/RequestToken',
      headers: { accept: 'application/json' },
      body: { consumer_key: consumerKey, consumer_secret: consumerSecret },
      timeoutMs,
    });
    const read = readToken(answer);
    if (read.kind === 'token') held = { token: read.token, until: read.until };
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

function readToken(answer: ProviderAnswer): TokenAnswer & { until: number } {
  if (answer.kind !== 'answered') return { kind: 'unavailable', text: answer.text, until: 0 };
  const { token, expiryDate } = recordOf(answer.json);
  const fault = faultOf(answer.json);
  // It goes into a header, so nothing is taken that does not belong there.
  if (answer.status === 200 && !fault && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
    return { kind: 'token', token, until: expiryOf(expiryDate) };
  }
  const isRefused = [400, 401, 403].includes(answer.status) || (answer.status === 200 && fault !== undefined);
  const text = `token call answered ${String(answer.status)} ${fault ? describe(fault) : ''}`.trim();
  return { kind: isRefused ? 'refused' : 'unavailable', text, until: 0 };
}

/** The date is UTC, whether or not it says so. */
function expiryOf(date: unknown): number {
  const text = typeof date === 'string' ? date : '';
  const at = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(at) ? Date.now() + lifeMs : at - refreshEarlyMs;
}
