/**
 * One attempt at a webhook, whichever process makes it: how it is sent, what follows from its result, and how it is
 * stored.
 */
import { v7 as uuidV7 } from 'uuid';
import type { Environment } from '../config';
import type { Log } from '../domain/log';
import { faultOfUrl } from '../merchants/allowed-url';
import type { Database, Transaction } from '../store/database';
import type { EventRow } from '../store/tables';
import { guardedAgent, type Lookup } from './guarded-agent';
import { postWebhook, type Message, type PostResult } from './post';

export interface PosterOptions {
  environment: Environment;
  /** An attempt ends after this many milliseconds, answered or not. */
  timeoutMs: number;
  lookup?: Lookup | undefined;
}

export interface Poster {
  /** Signs and sends a webhook once. Never throws. */
  post(message: Message): Promise<PostResult>;
  /** Resolves when no request is in flight any more and all connections are closed. */
  close(): Promise<void>;
}

/** Half of an attempt's time is enough to connect; the merchant's server gets the other half. */
const connectTimeoutMsMax = 5_000;

/** Each poster has its own connections, so that one kind of webhook does not wait for another. */
export function createPoster({ environment, timeoutMs, lookup }: PosterOptions): Poster {
  const connectTimeoutMs = Math.min(connectTimeoutMsMax, timeoutMs);
  const agent = guardedAgent({ environment, lookup, connectTimeoutMs });
  return {
    async post(message) {
      // The rules may have become stricter since the URL was set.
      const fault = faultOfUrl(message.url, environment);
      return fault === undefined ? postWebhook(agent, message, timeoutMs) : notSent(`the URL ${fault}`);
    },
    close: () => agent.close(),
  };
}

export interface Attempt {
  /** Counts from 1. */
  n: number;
  result: PostResult;
  /** Milliseconds until the next one; undefined when there is none, because it arrived or is given up. */
  pauseMs: number | undefined;
}

export function attemptOf(n: number, result: PostResult, pace: Pace): Attempt {
  return { n, result, pauseMs: result.error === null ? undefined : pauseAfter(n, pace) };
}

/** The result of an attempt that was not sent. */
export function notSent(error: string): PostResult {
  return { httpStatus: null, error, excerpt: null, durationMs: 0, timedOut: false };
}

/** @param words the log messages: with and without a following attempt. */
export function logFailure(
  log: Log,
  { n, result: { httpStatus, error }, pauseMs }: Attempt,
  words: { again: string; abandoned: string },
  ids: Record<string, string>,
): void {
  if (error === null) return;
  const fields = { ...ids, n, http_status: httpStatus, error };
  if (pauseMs === undefined) log.error(words.abandoned, fields);
  else log.warn(words.again, { ...fields, next_in_ms: pauseMs });
}

export type AttemptAt =
  /** A webhook of the outbox, sent to one of the merchant's own URLs; null where there is none. */
  | { webhookId: string; url: string | null }
  /** An event, sent to a further endpoint, or skipped because a later one has replaced it. */
  | { endpointId: string; event: EventRow; supersededBy?: string | undefined };

/** Called in the transaction that writes the consequences. */
export async function noteAttempt(
  trx: Transaction,
  at: AttemptAt,
  { n, result }: Pick<Attempt, 'n' | 'result'>,
): Promise<void> {
  const now = trx.raw<Date>('UTC_TIMESTAMP(3)');
  const went = {
    n,
    http_status: result.httpStatus,
    duration_ms: result.durationMs,
    error: result.error,
    response_excerpt: result.excerpt,
  };
  if ('webhookId' in at) {
    await trx('webhook_deliveries').insert({ webhook_id: at.webhookId, url: at.url, ...went, at: now });
    return;
  }
  const { endpointId, event, supersededBy = null } = at;
  await trx('endpoint_tries').insert({
    delivery_id: uuidV7(),
    endpoint_id: endpointId,
    event_id: event.event_id,
    position: event.position ?? '0',
    payment_id: event.payment_id,
    type: event.type,
    ...went,
    superseded_by: supersededBy,
    created_at: now,
  });
}

/** By the database's clock. */
export function inMs(db: Database | Transaction, ms: number) {
  return db.raw<Date>('UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND', [ms * 1000]);
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The retry schedule of a webhook: fourteen tries over 72 hours, early ones for a restart of the merchant's server,
 * late ones for a weekend outage. Milliseconds before each try, counted from the one before.
 */
export const pausesMs = [
  0,
  10 * second,
  1 * minute,
  5 * minute,
  15 * minute,
  30 * minute,
  1 * hour,
  2 * hour,
  4 * hour,
  8 * hour,
  12 * hour,
  12 * hour,
  16 * hour,
  16 * hour,
] as const;

export const triesMax = pausesMs.length;

/** A pause is up to this share longer or shorter, so that merchants who failed together are not retried together. */
const jitter = 0.1;

interface Pace {
  /** How many times faster than real time durations run; 1 in live. */
  timeScale: number;
  /** Between 0 and 1. */
  random?: (() => number) | undefined;
}

/** @returns milliseconds until the next try after `tries` failed ones, or undefined after the last. */
export function pauseAfter(tries: number, { timeScale, random = Math.random }: Pace): number | undefined {
  const pauseMs = pausesMs[tries];
  if (pauseMs === undefined) return undefined;
  return Math.round((pauseMs * (1 + jitter * (2 * random() - 1))) / timeScale);
}
