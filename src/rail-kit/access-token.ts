import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { v4 as uuid } from 'uuid';
import type { SecretBox } from '../merchants/secrets';
import type { Database } from '../store/database';
import type { AccessTokenRow } from '../store/tables';

/** A token, or why there is none: `refused` is about our own credentials. */
type TokenAnswer =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; text: string }
  | { kind: 'unavailable'; text: string };

/** The same as its provider gave it, with the milliseconds that it lives. */
export type GivenToken =
  (Extract<TokenAnswer, { kind: 'token' }> & { lifeMs: number }) | Exclude<TokenAnswer, { kind: 'token' }>;

/** @returns the token when it may stand in a header, where nothing is put that does not belong there. */
export function tokenOf(told: unknown): string | undefined {
  return typeof told === 'string' && /^[\x21-\x7e]{1,4096}$/.test(told) ? told : undefined;
}

export interface AccessToken {
  /** @param timeoutMs how long the caller can wait for one. */
  get(timeoutMs: number): Promise<TokenAnswer>;
  /** Forgets a token the provider no longer takes, unless it has been replaced already. */
  forget(token: string): void;
}

/** The next token is asked for when this much of the life of one is over. */
const freshPart = 0.8;
/** How long the one process that asks for the next token may take before another one does, should it have died. */
const leaseMs = 10_000;
/** Shorter, so that nobody asks whose lease is over. */
const askMs = 8_000;
/** How long the search for a token goes on, though all who wanted it have left: until a dead process' lease is over. */
const searchMs = 2 * leaseMs;
/** How soon who waits for another process looks again. */
const pollMs = 50;
/**
 * What a token lives at least, whatever is said of it: with a date for its end and a clock of ours that is ahead, or with
 * no life told at all, each call would otherwise ask for another one.
 */
const lifeLeastMs = 60_000;
/** How soon a token is looked after again that is due and lives, when there was no other one to be had. */
const retryMs = 5_000;
/** How many refused tokens are remembered: a refused one may still stand on the shelf. */
const refusedMax = 16;

/**
 * A provider's bearer token, one for all processes, since a provider may end the one before with each that it gives
 * (Safaricom's documentation of its Authorization API, FAQ). It is kept in memory until it is due or refused; only then
 * is the shelf looked at, and only the one process that has its lease asks the provider. While a token lives, neither a
 * database nor a token call that is down stops its use.
 */
export function accessToken(
  shelf: TokenShelf,
  credential: Credential,
  ask: (timeoutMs: number) => Promise<GivenToken>,
): AccessToken {
  let held: { token: string; dueAt: number; endsAt: number } | undefined;
  let renewing: Promise<TokenAnswer> | undefined;
  const refused = new Set<string>();

  function hold({ token, refreshInMs, expiresInMs }: Omit<ShelvedToken, 'version' | 'leasedForMs'>): void {
    if (token === undefined) return;
    const now = Date.now();
    held = { token, dueAt: now + refreshInMs, endsAt: now + expiresInMs };
  }

  /** The token in memory while it lives, looked after again a moment later; or what else is to be said. */
  function heldOr(answer: Exclude<TokenAnswer, { kind: 'token' }>): TokenAnswer {
    const now = Date.now();
    if (!held || now >= held.endsAt) return answer;
    held.dueAt = Math.max(held.dueAt, now + retryMs);
    return { kind: 'token', token: held.token };
  }

  /**
   * Looks at the shelf until there is a token, made by another process or by this one. Callers leave when their time is
   * over; the question to the provider is never cut short by that, because a token it gave all the same may have ended
   * the one that everybody has.
   */
  async function renew(): Promise<TokenAnswer> {
    const deadline = Date.now() + searchMs;
    for (let looks = 0; Date.now() < deadline; looks += 1) {
      if (looks > 0) await delay(pollMs);
      const shelved = await shelf.read(credential);
      const isUsable = shelved.token !== undefined && shelved.expiresInMs > 0 && !refused.has(shelved.token);
      if (isUsable) hold(shelved);
      if (held && Date.now() < held.dueAt) return { kind: 'token', token: held.token };
      if (shelved.leasedForMs > 0) {
        if (held && Date.now() < held.endsAt) return heldOr(late);
        continue;
      }
      const lease = await shelf.lease(credential, shelved.version, leaseMs);
      if (lease === undefined) continue;
      const answer = await askWith(lease);
      if (answer) return answer;
    }
    return heldOr(late);
  }

  /** @returns nothing when the lease was lost meanwhile, and with it what the answer was worth. */
  async function askWith(lease: string): Promise<TokenAnswer | undefined> {
    const answer = await ask(askMs);
    if (answer.kind !== 'token') {
      await shelf.release(credential, lease).catch(() => undefined);
      return heldOr(answer);
    }
    const { token } = answer;
    const expiresInMs = Math.max(lifeLeastMs, answer.lifeMs);
    const given = { token, expiresInMs, refreshInMs: expiresInMs * freshPart };
    try {
      if (!(await shelf.put(credential, lease, given))) return undefined;
    } catch {
      // The provider gave it, and may have ended the one before: it is used, whoever else comes to know of it.
    }
    refused.delete(token);
    hold(given);
    return { kind: 'token', token };
  }

  const ofShelf = (error: unknown): TokenAnswer =>
    heldOr({ kind: 'unavailable', text: `the database has no token: ${errorName(error)}` });

  return {
    async get(timeoutMs) {
      const now = Date.now();
      if (held && now < held.dueAt) return { kind: 'token', token: held.token };
      // What lives is worth a part of the caller's time, and what does not is worth all of it.
      const patienceMs = held && now < held.endsAt ? timeoutMs / 3 : timeoutMs;
      for (const deadline = now + patienceMs; ;) {
        renewing ??= renew()
          .catch(ofShelf)
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
  // Ended by the line below, when nobody waits for it any more.
  timer.catch(() => undefined);
  return Promise.race([work, timer]).finally(() => {
    over.abort();
  });
}

function errorName(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'Error';
}

// Where the processes of a deployment keep the one token of each account at a provider.

/** What a token is for. */
export interface Credential {
  rail: string;
  baseUrl: string;
  /** The account's two halves, such as a consumer key and its secret. A token says nothing for another secret. */
  key: string;
  secret: string;
}

/** Times are milliseconds from now, by the clock of the shelf. */
export interface ShelvedToken {
  version: number;
  /** Undefined where there is none, or none that a key of ours opens. */
  token: string | undefined;
  refreshInMs: number;
  expiresInMs: number;
  /** How long somebody else may still be asking for the next one; 0 or less when nobody does. */
  leasedForMs: number;
}

export interface TokenShelf {
  read(credential: Credential): Promise<ShelvedToken>;
  /** @returns the lease; undefined where another has one, or the token was replaced since that version. */
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

/** Who waits for a token does not wait for a frozen database. */
const answerMs = 2_000;

/**
 * A row per credential. The token stands there sealed, so that a stolen table calls no provider; a row of a token that
 * ended a day ago goes when another one is put, unless somebody is asking for its next.
 */
export function tokenShelf(db: Database, box: SecretBox): TokenShelf {
  const run = async (sql: string, values: (string | number)[]) => {
    const [result] = (await db.raw(sql, values).timeout(answerMs)) as [{ affectedRows: number }];
    return result.affectedRows;
  };
  /** A sealed text opens for its own row alone. */
  const opened = (sealed: string | null, credential: string): string | undefined => {
    if (sealed === null) return undefined;
    try {
      return box.open(sealed, credential);
    } catch {
      return undefined;
    }
  };

  return {
    async read(credential) {
      const id = idOf(credential);
      const [rows] = (await db
        .raw(
          `SELECT version, sealed,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), refresh_at) DIV 1000 AS refresh_in_ms,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), expires_at) DIV 1000 AS expires_in_ms,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), leased_until) DIV 1000 AS leased_for_ms
           FROM access_tokens WHERE credential = ?`,
          [id],
        )
        .timeout(answerMs)) as [
        (Pick<AccessTokenRow, 'version' | 'sealed'> &
          Record<'refresh_in_ms' | 'expires_in_ms' | 'leased_for_ms', string | null>)[],
      ];
      const row = rows[0];
      return {
        version: row?.version ?? 0,
        token: opened(row?.sealed ?? null, id),
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
        `UPDATE access_tokens SET version = version + 1, sealed = ?, leased_by = NULL, leased_until = NULL,
           refresh_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND,
           expires_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
         WHERE credential = ? AND leased_by = ?`,
        [box.seal(token, id), Math.round(refreshInMs * 1_000), Math.round(expiresInMs * 1_000), id, lease],
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

/** A digest of what is long and random, as API secrets are kept. */
function idOf({ rail, baseUrl, key, secret }: Credential): string {
  return createHash('sha256')
    .update(JSON.stringify([rail, baseUrl, key, secret]))
    .digest('hex');
}
