import { setTimeout as delay } from 'node:timers/promises';
import type { Credential, ShelvedToken, TokenShelf } from './token-shelf';

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
