/**
 * Delivers one webhook: reads it, claims it, sends it, and writes the result. At least once: a worker that dies
 * between sending and writing leaves the webhook to be sent again, with the same webhook id.
 */
import type { Environment } from '../config';
import type { Log } from '../domain/log';
import { webhookSecretsOf } from '../merchants/merchants';
import type { SecretBox } from '../merchants/secrets';
import type { Database } from '../store/database';
import type { MerchantRow, OutboxRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { about, step } from '../telemetry/tracing/scope';
import { attemptOf, createPoster, logFailure, inMs, noteAttempt, notSent, type Attempt } from './attempts';
import { bulkheads, type BulkheadLimits, type HowToDeliver, type Went } from './bulkheads';
import { connectionsPerOrigin, type Lookup } from './guarded-agent';
import type { Message, PostResult } from './post';

export interface DelivererOptions {
  db: Database;
  box: SecretBox;
  environment: Environment;
  /** How many times faster than real time the pauses between tries run. */
  timeScale: number;
  log: Log;
  random?: (() => number) | undefined;
  /** In milliseconds, from any start. */
  now?: (() => number) | undefined;
  /** A try ends after this many milliseconds, answered or not. */
  timeoutMs?: number | undefined;
  /** A longer delivery, in milliseconds, marks its origin as slow. */
  slowAfterMs?: number | undefined;
  /** After a longer delivery no caller waits for the next one. */
  quickWithinMs?: number | undefined;
  limits?: BulkheadLimits | undefined;
  lookup?: Lookup | undefined;
}

export type DeliveryOutcome =
  | { kind: 'delivered' | 'dead' | 'unaddressed' | 'superseded' | 'already_settled' }
  /** The try failed and is counted; the next one is due in `delayMs`. */
  | { kind: 'retry'; delayMs: number }
  /**
   * Nothing was sent and no try is counted: a limit is reached, another process is sending it, it is not due yet, or
   * an earlier one of its payment is under way.
   */
  | { kind: 'busy'; delayMs: number };

export interface Deliverer {
  /** @throws database errors, and an Error for an id that does not exist. */
  deliver(webhookId: string, how?: HowToDeliver): Promise<DeliveryOutcome>;
  /** Resolves when no request is in flight any more and all connections are closed. */
  close(): Promise<void>;
}

const monotonicMs = () => performance.now();
const timeoutMsDefault = 10_000;
const slowAfterMsDefault = 2_000;
const quickWithinMsDefault = 500;
const limitsDefault: BulkheadLimits = {
  inFlightMax: 60,
  awaitedMax: 30,
  slowMax: 20,
  perOriginMax: connectionsPerOrigin,
};
/** How much longer than a try a claim lasts: time to write the result, even with a slow database. */
const claimMarginMs = 20_000;
/** The least delay before a delivery comes back, with a random part, so that not all come together. */
const busyDelayMs = 500;
const words = {
  again: 'a webhook was not delivered',
  abandoned: 'a webhook was not delivered and its attempts ended; replay it once the merchant can be reached',
  unaddressed: 'a merchant has no address for webhooks; replay them once there is one',
};
/** How often the log says of one merchant that it has no address. Each of its webhooks has the state. */
const unaddressedEveryMs = 3_600_000;
const unaddressedMax = 10_000;

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { db, box, environment, log, random = Math.random, now = monotonicMs } = options;
  const { timeoutMs = timeoutMsDefault } = options;
  const { slowAfterMs = slowAfterMsDefault, quickWithinMs = quickWithinMsDefault } = options;
  const places = bulkheads(options.limits ?? limitsDefault);
  const poster = createPoster({ environment, timeoutMs, lookup: options.lookup });
  /** When this process last logged that a merchant has no address. */
  const unaddressed = new Map<string, number>();

  function busy(turnInMs = 0): DeliveryOutcome {
    return { kind: 'busy', delayMs: Math.round(Math.max(turnInMs, busyDelayMs * (0.5 + random()))) };
  }

  async function deliver(webhookId: string, how?: HowToDeliver): Promise<DeliveryOutcome> {
    const webhook = await readDueWebhook(db, webhookId);
    about(webhook.payment_id);
    if (webhook.state === 'superseded') return { kind: 'superseded' };
    if (webhook.state !== 'pending') return { kind: 'already_settled' };
    const dueInMs = Number(webhook.due_in_ms);
    if (dueInMs > 0) return { kind: 'busy', delayMs: dueInMs };
    // The earlier one usually ends much sooner than its limit.
    if (webhook.earlier_ends_in_ms !== null) return busy();
    // Read at every try, so that the next try uses a corrected URL. The merchant's status does not matter here: a
    // suspended merchant is still notified about its payments.
    const url = webhook[webhook.endpoint];
    return url === null ? setAside(webhook) : send(webhook, url, how);
  }

  function went({ timedOut, durationMs: tookMs }: PostResult): Went {
    if (timedOut || tookMs > slowAfterMs) return { pace: 'slow', tookMs };
    return { pace: tookMs > quickWithinMs ? 'usual' : 'quick', tookMs };
  }

  async function send(webhook: DueWebhook, url: string, how?: HowToDeliver): Promise<DeliveryOutcome> {
    const secrets = webhookSecretsOf(box, webhook);
    const entered = places.enter(originOf(url), how);
    if ('comeBackInMs' in entered) return busy(entered.comeBackInMs);
    let result: PostResult | undefined;
    try {
      if (!(await claim(db, webhook, timeoutMs + claimMarginMs))) return busy();
      result = await traced(webhook, (trace) => poster.post(messageOf(webhook, url, secrets, trace)));
    } finally {
      entered.leave(result && went(result));
    }
    return conclude(webhook, url, result);
  }

  async function conclude(webhook: DueWebhook, url: string, result: PostResult): Promise<DeliveryOutcome> {
    const pace = { timeScale: options.timeScale, random };
    const attempt = attemptOf(webhook.tries + 1, result, pace);
    const noted = await recordAttempt(db, webhook, url, attempt);
    if (noted === 'superseded') return { kind: 'superseded' };
    if (noted === 'moved_on') return busy();
    if (result.error === null) return { kind: 'delivered' };
    // The origin only: paths and queries of merchants' URLs may contain tokens.
    logFailure(log, attempt, words, { ...idsOf(webhook), origin: originOf(url) });
    const { pauseMs } = attempt;
    return pauseMs === undefined ? { kind: 'dead' } : { kind: 'retry', delayMs: pauseMs };
  }

  function isFirstInAnHour(merchantId: string): boolean {
    const at = now();
    if (at - (unaddressed.get(merchantId) ?? -Infinity) < unaddressedEveryMs) return false;
    if (unaddressed.size >= unaddressedMax) unaddressed.clear();
    unaddressed.set(merchantId, at);
    return true;
  }

  async function setAside(webhook: DueWebhook): Promise<DeliveryOutcome> {
    const error = `the merchant has no ${webhook.endpoint}`;
    if (!(await recordUnaddressed(db, webhook, error))) return busy();
    if (isFirstInAnHour(webhook.merchant_id)) log.warn(words.unaddressed, { ...idsOf(webhook), error });
    return { kind: 'unaddressed' };
  }

  return { deliver, close: () => poster.close() };
}

/** One try, as a step of the payment's trace: a merchant with traces of its own sees there what caused the webhook. */
function traced(
  webhook: DueWebhook,
  post: (headers: Record<string, string>) => Promise<PostResult>,
): Promise<PostResult> {
  const attributes = {
    'malipo.peer': 'merchant',
    'malipo.merchant.id': webhook.merchant_id,
    'malipo.webhook.id': webhook.webhook_id,
    'malipo.state': webhook.to_state,
    'malipo.attempt': webhook.tries + 1,
    'http.request.method': 'POST',
  };
  return step({ name: 'webhook', kind: 'client', attributes }, async (open) => {
    const traceparent = open?.traceparent();
    const result = await post(traceparent === undefined ? {} : { traceparent });
    const status = { 'http.response.status_code': result.httpStatus };
    open?.note({ attributes: status, hasFailed: result.error !== null });
    return result;
  });
}

function idsOf({ webhook_id, payment_id, merchant_id }: DueWebhook) {
  return { webhook_id, payment_id, merchant_id };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** The message of one attempt. A body with a sending time gets the time of the signature. */
function messageOf(
  webhook: DueWebhook,
  url: string,
  secrets: string[],
  trace: Record<string, string>,
): Message {
  const { body, sent_at_field: stamped } = webhook;
  const at = new Date();
  const requestId = webhook.request_id ?? '';
  return {
    url,
    id: webhook.webhook_id,
    callbackType: webhook.callback_type,
    body:
      stamped === null
        ? body
        : JSON.stringify({ ...(JSON.parse(body) as object), [stamped]: at.toISOString() }),
    at,
    secrets,
    // A merchant's own request id may contain characters that a header must not.
    headers: { ...(/^[\x21-\x7e]+$/.test(requestId) && { 'x-request-id': requestId }), ...trace },
  };
}

// The deliverer's database statements. Every guard is in the WHERE of its update.

type DueWebhook = OutboxRow &
  Pick<MerchantRow, 'callback_url' | 'webhook_url' | 'webhook_secret' | 'previous_webhook_secret'> & {
    /**
     * Milliseconds until it may be sent, by the database's clock; as digits, because the driver returns whole numbers
     * as text.
     */
    due_in_ms: string;
    /** Milliseconds for which an earlier one of the payment may still be under way; NULL where none is. */
    earlier_ends_in_ms: string | null;
  };

/** @throws Error when there is no such webhook. */
async function readDueWebhook(db: Database, webhookId: string): Promise<DueWebhook> {
  const webhook = await db('outbox as o')
    .join('merchants as m', 'm.merchant_id', 'o.merchant_id')
    .where('o.webhook_id', webhookId)
    .first<DueWebhook | undefined>(
      'o.*',
      'm.callback_url',
      'm.webhook_url',
      'm.webhook_secret',
      'm.previous_webhook_secret',
      db.raw('TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), o.next_at) DIV 1000 AS due_in_ms'),
      db.raw(`(
        SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), MAX(e.claimed_until)) DIV 1000 FROM outbox e
        WHERE e.payment_id = o.payment_id AND e.claimed_until > UTC_TIMESTAMP(3) AND e.sequence < o.sequence
      ) AS earlier_ends_in_ms`),
    );
  if (!webhook) throw new Error(`webhook ${webhookId} does not exist`);
  return webhook;
}

/**
 * Claims a due webhook by moving its due time to the end of the claim. Until the try is stored, a later webhook of
 * the payment waits.
 * @returns false when another process was faster.
 */
async function claim(db: Database, webhook: DueWebhook, claimMs: number): Promise<boolean> {
  const changed = await db('outbox')
    .where({ webhook_id: webhook.webhook_id, state: 'pending', tries: webhook.tries })
    .where('next_at', '<=', db.raw('UTC_TIMESTAMP(3)'))
    .update({ next_at: inMs(db, claimMs), claimed_until: inMs(db, claimMs) });
  return changed === 1;
}

/**
 * @returns `moved_on` when another process has changed the webhook in the meantime, `superseded` when a later status
 *   has replaced it; the attempt is stored in any case.
 */
function recordAttempt(
  db: Database,
  webhook: DueWebhook,
  url: string,
  attempt: Attempt,
): Promise<'noted' | 'moved_on' | 'superseded'> {
  const { n, result, pauseMs } = attempt;
  const isDelivered = result.error === null;
  return inTransaction(db, async (trx) => {
    const row = trx('outbox').where({ webhook_id: webhook.webhook_id });
    // A delivery always counts; a failure only where no other process has taken over.
    void (isDelivered
      ? row.whereNot({ state: 'delivered' })
      : row.where({ state: 'pending', tries: webhook.tries }));
    const changed = await row.update(
      pauseMs === undefined
        ? {
            state: isDelivered ? 'delivered' : 'dead',
            tries: n,
            settled_at: inMs(trx, 0),
            claimed_until: null,
          }
        : { tries: n, next_at: inMs(trx, pauseMs), claimed_until: null },
    );
    // Replaced while it was under way: the later one no longer waits.
    const wasSuperseded =
      changed === 0 &&
      (await trx('outbox')
        .where({ webhook_id: webhook.webhook_id, state: 'superseded', tries: webhook.tries })
        .update({ tries: n, claimed_until: null })) === 1;
    await noteAttempt(trx, { webhookId: webhook.webhook_id, url }, attempt);
    if (wasSuperseded) return 'superseded';
    return changed === 1 ? 'noted' : 'moved_on';
  });
}

/** @returns false when another process has changed the webhook in the meantime. */
function recordUnaddressed(db: Database, webhook: DueWebhook, error: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const changed = await trx('outbox')
      .where({ webhook_id: webhook.webhook_id, state: 'pending', tries: webhook.tries })
      .update({ state: 'unaddressed', settled_at: inMs(trx, 0) });
    if (changed === 0) return false;
    const attempt = { n: webhook.tries + 1, result: notSent(error) };
    await noteAttempt(trx, { webhookId: webhook.webhook_id, url: null }, attempt);
    return true;
  });
}
