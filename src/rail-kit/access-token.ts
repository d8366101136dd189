import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { v4 as uuid } from 'uuid';
import type { SecretBox } from '../merchants/secrets';
import type { Database } from '../store/database';
import type { AccessTokenRow } from '../store/tables';

/** A token, or the reason why there is none: `refused` concerns our own credentials. */
type TokenAnswer =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; text: string }
  | { kind: 'unavailable'; text: string };

/** The same as its provider issued it, with its lifetime in milliseconds. */
export type IssuedToken =
  (Extract<TokenAnswer, { kind: 'token' }> & { lifeMs: number }) | Exclude<TokenAnswer, { kind: 'token' }>;

/** @returns the token if it is safe in a header: a token with characters that a header must not contain is rejected. */
export function tokenOf(reported: unknown): string | undefined {
  return typeof reported === 'string' && /^[\x21-\x7e]{1,4096}$/.test(reported) ? reported : undefined;
}

export interface AccessToken {
  /** @param timeoutMs how long the caller can wait for one. */
  get(timeoutMs: number): Promise<TokenAnswer>;
  /** Forgets a token that the provider no longer accepts, unless it has been replaced already. */
  forget(token: string): void;
}

/** The next token is requested when this share of a token's lifetime is over. */
const freshPart = 0.8;
/** How long one process may request the next token before another process may, in case the first one died. */
const leaseMs = 10_000;
/** Shorter than the lease, so that no process still requests after its lease. */
const askMs = 8_000;
/** How long the search for a token lasts, even without waiting callers: until a dead process' lease is over. */
const searchMs = 2 * leaseMs;
/** How often a process reads the shelf while another one requests the token. */
const pollMs = 50;
/**
 * The least lifetime of a token, whatever the provider says. With an absolute expiry and a clock of ours that is
 * ahead, or without any lifetime, each call would otherwise request a new one.
 */
const lifeLeastMs = 60_000;
/** When a due but valid token is renewed again after a renewal without a result. */
const retryMs = 5_000;
/** How many refused tokens are remembered: the shelf may still contain a refused one. */
const refusedMax = 16;

/**
 * A provider's bearer token, shared by all processes, because a provider may end the previous token with each new one
 * (Safaricom's documentation of its Authorization API, FAQ). It stays in memory until it is due or refused. Only then
 * does a process read the shelf, and only the process with the lease requests a token. While a token is valid, a
 * failed database or token call does not stop its use.
 */
export function accessToken(
  tokens: TokenCache,
  credential: Credential,
  ask: (timeoutMs: number) => Promise<IssuedToken>,
): AccessToken {
  let held: { token: string; dueAt: number; endsAt: number } | undefined;
  let renewing: Promise<TokenAnswer> | undefined;
  const refused = new Set<string>();

  function hold({ token, refreshInMs, expiresInMs }: Omit<CachedToken, 'version' | 'leasedForMs'>): void {
    if (token === undefined) return;
    const now = Date.now();
    held = { token, dueAt: now + refreshInMs, endsAt: now + expiresInMs };
  }

  /** The token in memory while it is valid, with its next renewal a moment later; otherwise the given answer. */
  function heldOr(answer: Exclude<TokenAnswer, { kind: 'token' }>): TokenAnswer {
    const now = Date.now();
    if (!held || now >= held.endsAt) return answer;
    held.dueAt = Math.max(held.dueAt, now + retryMs);
    return { kind: 'token', token: held.token };
  }

  /**
   * Reads the shelf until there is a token, issued to another process or to this one. Callers leave when their time
   * is over. The request to the provider still runs to its end, because a token that it issues may have ended the one
   * that all processes have.
   */
  async function renew(): Promise<TokenAnswer> {
    const deadline = Date.now() + searchMs;
    for (let checks = 0; Date.now() < deadline; checks += 1) {
      if (checks > 0) await delay(pollMs);
      const cached = await tokens.read(credential);
      const isUsable = cached.token !== undefined && cached.expiresInMs > 0 && !refused.has(cached.token);
      if (isUsable) hold(cached);
      if (held && Date.now() < held.dueAt) return { kind: 'token', token: held.token };
      if (cached.leasedForMs > 0) {
        if (held && Date.now() < held.endsAt) return heldOr(late);
        continue;
      }
      const lease = await tokens.lease(credential, cached.version, leaseMs);
      if (lease === undefined) continue;
      const answer = await askWith(lease);
      if (answer) return answer;
    }
    return heldOr(late);
  }

  /** @returns nothing when the lease was lost in the meantime: the answer is then useless. */
  async function askWith(lease: string): Promise<TokenAnswer | undefined> {
    const answer = await ask(askMs);
    if (answer.kind !== 'token') {
      await tokens.release(credential, lease).catch(() => undefined);
      return heldOr(answer);
    }
    const { token } = answer;
    const expiresInMs = Math.max(lifeLeastMs, answer.lifeMs);
    const given = { token, expiresInMs, refreshInMs: expiresInMs * freshPart };
    try {
      if (!(await tokens.put(credential, lease, given))) return undefined;
    } catch {
      // The provider issued it and may have ended the previous one: this process uses it, even if the others never
      // read it.
    }
    refused.delete(token);
    hold(given);
    return { kind: 'token', token };
  }

  const ofCache = (error: unknown): TokenAnswer =>
    heldOr({ kind: 'unavailable', text: `the database has no token: ${errorName(error)}` });

  return {
    async get(timeoutMs) {
      const now = Date.now();
      if (held && now < held.dueAt) return { kind: 'token', token: held.token };
      // With a valid token a renewal gets a part of the caller's time; without one it gets all of it.
      const patienceMs = held && now < held.endsAt ? timeoutMs / 3 : timeoutMs;
      for (const deadline = now + patienceMs; ;) {
        renewing ??= renew()
          .catch(ofCache)
          .finally(() => (renewing = undefined));
        const answer = await inTime(renewing, deadline - Date.now(), () => heldOr(late));
        // The search may have been about to end when this caller joined it.
        if (answer !== late || Date.now() >= deadline) return answer;
      }
    },
    forget(token) {
      if (refused.size >= refusedMax) refused.clear();
      refused.add(token);
      if (held?.token === token) held = undefined;
    },
  };
}

const late = { kind: 'unavailable', text: 'there was no token in time' } as const;

async function inTime<T>(work: Promise<T>, ms: number, otherwise: () => T): Promise<T> {
  const over = new AbortController();
  const timer = delay(ms, undefined, { signal: over.signal }).then(otherwise);
  // The line below ends it when no caller waits any more.
  timer.catch(() => undefined);
  return Promise.race([work, timer]).finally(() => {
    over.abort();
  });
}

function errorName(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'Error';
}

// The shelf: where the processes of a deployment store the one token of each account at a provider.

/** The identity of a token. */
export interface Credential {
  rail: string;
  baseUrl: string;
  /** The account's two halves, such as a consumer key and its secret. A token is not valid for another secret. */
  key: string;
  secret: string;
}

/** Times are milliseconds from now, by the shelf's clock. */
export interface CachedToken {
  version: number;
  /** Undefined where there is none, or none that one of our keys decrypts. */
  token: string | undefined;
  refreshInMs: number;
  expiresInMs: number;
  /** How long another process may still be requesting the next one; 0 or less when none is. */
  leasedForMs: number;
}

export interface TokenCache {
  read(credential: Credential): Promise<CachedToken>;
  /** @returns the lease; undefined where another process has one, or the token was replaced since that version. */
  lease(credential: Credential, version: number, forMs: number): Promise<string | undefined>;
  /** Replaces the token and ends the lease. @returns false, and changes nothing, where the lease was lost. */
  put(
    credential: Credential,
    lease: string,
    token: { token: string; refreshInMs: number; expiresInMs: number },
  ): Promise<boolean>;
  /** Ends the lease. */
  release(credential: Credential, lease: string): Promise<void>;
}

/** A caller that waits for a token must not wait for a frozen database. */
const answerMs = 2_000;

/**
 * One row per credential. The token is stored encrypted, so that a stolen table gives no access to a provider. When a
 * token is stored, rows of tokens that expired a day ago are deleted, unless a process is requesting the next one.
 */
export function tokenCache(db: Database, box: SecretBox): TokenCache {
  const run = async (sql: string, values: (string | number)[]) => {
    const [result] = (await db.raw(sql, values).timeout(answerMs)) as [{ affectedRows: number }];
    return result.affectedRows;
  };
  /** An encrypted text can only be decrypted for its own row. */
  const opened = (encrypted: string | null, credential: string): string | undefined => {
    if (encrypted === null) return undefined;
    try {
      return box.open(encrypted, credential);
    } catch {
      return undefined;
    }
  };

  return {
    async read(credential) {
      const id = idOf(credential);
      const [rows] = (await db
        .raw(
          `SELECT version, encrypted,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), refresh_at) DIV 1000 AS refresh_in_ms,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), expires_at) DIV 1000 AS expires_in_ms,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), leased_until) DIV 1000 AS leased_for_ms
           FROM access_tokens WHERE credential = ?`,
          [id],
        )
        .timeout(answerMs)) as [
        (Pick<AccessTokenRow, 'version' | 'encrypted'> &
          Record<'refresh_in_ms' | 'expires_in_ms' | 'leased_for_ms', string | null>)[],
      ];
      const row = rows[0];
      return {
        version: row?.version ?? 0,
        token: opened(row?.encrypted ?? null, id),
        refreshInMs: Number(row?.refresh_in_ms ?? 0),
        expiresInMs: Number(row?.expires_in_ms ?? 0),
        leasedForMs: Number(row?.leased_for_ms ?? 0),
      };
    },

    async lease(credential, version, forMs) {
      const [id, lease] = [idOf(credential), uuid()];
      await run(
        `INSERT IGNORE INTO access_tokens (credential, rail, refresh_at, expires_at)
         VALUES (?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
        [id, credential.rail],
      );
      const taken = await run(
        `UPDATE access_tokens SET leased_by = ?, leased_until = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
         WHERE credential = ? AND version = ? AND (leased_until IS NULL OR leased_until <= UTC_TIMESTAMP(3))`,
        [lease, forMs * 1_000, id, version],
      );
      return taken === 1 ? lease : undefined;
    },

    async put(credential, lease, { token, refreshInMs, expiresInMs }) {
      const id = idOf(credential);
      const put = await run(
        `UPDATE access_tokens SET version = version + 1, encrypted = ?, leased_by = NULL, leased_until = NULL,
           refresh_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND,
           expires_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
         WHERE credential = ? AND leased_by = ?`,
        [box.encrypt(token, id), Math.round(refreshInMs * 1_000), Math.round(expiresInMs * 1_000), id, lease],
      );
      await run(
        `DELETE FROM access_tokens WHERE expires_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY
           AND (leased_until IS NULL OR leased_until < UTC_TIMESTAMP(3))`,
        [],
      );
      return put === 1;
    },

    async release(credential, lease) {
      await run(
        'UPDATE access_tokens SET leased_by = NULL, leased_until = NULL WHERE credential = ? AND leased_by = ?',
        [idOf(credential), lease],
      );
    },
  };
}

/** A plain digest is enough for long random values, as for API secrets. */
function idOf({ rail, baseUrl, key, secret }: Credential): string {
  return createHash('sha256')
    .update(JSON.stringify([rail, baseUrl, key, secret]))
    .digest('hex');
}
