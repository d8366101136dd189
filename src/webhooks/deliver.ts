/**
 * Delivers one webhook: reads it, takes it for itself, sends it, and writes down what came of it. At least once: a
 * worker that dies between sending and writing leaves the webhook to be sent again, under the same webhook id.
 */
import type { Environment } from '../config';
import type { Log } from '../domain/log';
import { faultOfUrl } from '../merchants/allowed-url';
import { webhookSecretsOf } from '../merchants/merchants';
import type { SecretBox } from '../merchants/secrets';
import type { Database } from '../store/database';
import { about, step } from '../tracing/scope';
import { bulkheads, type BulkheadLimits, type HowToDeliver, type Went } from './bulkheads';
import { claim, readDueWebhook, recordTry, recordUnaddressed, type DueWebhook } from './due-webhook';
import { connectionsPerOrigin, guardedAgent, type Lookup } from './guarded-agent';
import { postWebhook, type PostResult } from './post';
import { pauseAfter } from './schedule';
import { signatureHeaders } from './signature';

export interface DelivererOptions {
  db: Database;
  box: SecretBox;
  environment: Environment;
  /** How many times faster than the wall clock the pauses between tries run. */
  timeScale: number;
  log: Log;
  random?: (() => number) | undefined;
  /** A try ends after this many milliseconds, answered or not. */
  timeoutMs?: number | undefined;
  /** A delivery that took longer than this many milliseconds makes its origin a slow one. */
  slowAfterMs?: number | undefined;
  /** One that took longer than this is not waited for the next time. */
  quickWithinMs?: number | undefined;
  limits?: BulkheadLimits | undefined;
  lookup?: Lookup | undefined;
}

export type DeliveryOutcome =
  | { kind: 'delivered' | 'dead' | 'unaddressed' | 'superseded' | 'already_settled' }
  /** The try failed and is counted; the next one is due in `delayMs`. */
  | { kind: 'retry'; delayMs: number }
  /**
   * Nothing was sent and no try is counted: no free place, somebody else is sending it, it is not due yet, or an earlier
   * one of its payment is under way.
   */
  | { kind: 'busy'; delayMs: number };

export interface Deliverer {
  /** @throws what the database throws, and an Error for an id that does not exist. */
  deliver(webhookId: string, how?: HowToDeliver): Promise<DeliveryOutcome>;
  /** Resolves when nothing is in flight any more and all connections are closed. */
  close(): Promise<void>;
}

const timeoutMsDefault = 10_000;
/** Half of a try is enough to get through; the other half is the merchant's. */
const connectTimeoutMsMax = 5_000;
const slowAfterMsDefault = 2_000;
const quickWithinMsDefault = 500;
const limitsDefault: BulkheadLimits = {
  inFlightMax: 60,
  awaitedMax: 30,
  slowMax: 20,
  perOriginMax: connectionsPerOrigin,
};
/** How much longer than a try a claim lasts: time to write down the result, even with a database in trouble. */
const claimMarginMs = 20_000;
/** What is told to come back sooner than this waits so long all the same, more or less, so that not all come together. */
const busyDelayMs = 500;

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { db, box, environment, log, random = Math.random } = options;
  const { timeoutMs = timeoutMsDefault } = options;
  const { slowAfterMs = slowAfterMsDefault, quickWithinMs = quickWithinMsDefault } = options;
  const places = bulkheads(options.limits ?? limitsDefault);
  const connectTimeoutMs = Math.min(connectTimeoutMsMax, timeoutMs);
  const agent = guardedAgent({ environment, lookup: options.lookup, connectTimeoutMs });

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
    // It mostly ends much sooner than it must.
    if (webhook.earlier_ends_in_ms !== null) return busy();
    // Read at every try: a merchant who corrects the URL is reached by the next one. Status does not matter here;
    // a suspended merchant is still told what became of its payments.
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
      // The rules may have become stricter since the URL was set.
      const fault = faultOfUrl(url, environment);
      result =
        fault === undefined
          ? await attempted(webhook, (headers) =>
              postWebhook(agent, { url, ...signed(webhook, secrets, new Date(), headers), timeoutMs }),
            )
          : unsent(fault);
    } finally {
      entered.leave(result && went(result));
    }
    return conclude(webhook, url, result);
  }

  async function conclude(webhook: DueWebhook, url: string, result: PostResult): Promise<DeliveryOutcome> {
    const n = webhook.tries + 1;
    const isDelivered = result.error === null;
    const pauseMs = isDelivered ? undefined : pauseAfter(n, { timeScale: options.timeScale, random });
    const noted = await recordTry(db, webhook, { n, url, result, pauseMs });
    if (noted === 'superseded') return { kind: 'superseded' };
    if (noted === 'moved_on') return busy();
    if (isDelivered) return { kind: 'delivered' };

    // The origin only: paths and queries of merchants' URLs may hold tokens.
    const { httpStatus, error } = result;
    const fields = { ...idsOf(webhook), origin: originOf(url), n, http_status: httpStatus, error };
    if (pauseMs === undefined) {
      log.error('a webhook is given up; replay it once the merchant can be reached', fields);
      return { kind: 'dead' };
    }
    log.warn('a webhook was not delivered', { ...fields, next_in_ms: pauseMs });
    return { kind: 'retry', delayMs: pauseMs };
  }

  async function setAside(webhook: DueWebhook): Promise<DeliveryOutcome> {
    const error = `the merchant has no ${webhook.endpoint}`;
    if (!(await recordUnaddressed(db, webhook, error))) return busy();
    log.warn('a webhook has no address; replay it once there is one', { ...idsOf(webhook), error });
    return { kind: 'unaddressed' };
  }

  return { deliver, close: () => agent.close() };
}

/** One try, as a step of the payment's trace: a merchant who has traces too sees in its own what led to it. */
function attempted(
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

function unsent(fault: string): PostResult {
  return { httpStatus: null, error: `the URL ${fault}`, excerpt: null, durationMs: 0, timedOut: false };
}

/** What is sent at one try: the signature covers the very bytes, and the moment that they tell. */
function signed(
  webhook: DueWebhook,
  secrets: string[],
  at: Date,
  further: Record<string, string>,
): { headers: Record<string, string>; body: string } {
  const { body: written, sent_at_field: stamped } = webhook;
  const fields = stamped === null ? undefined : (JSON.parse(written) as Record<string, unknown>);
  const body = stamped === null ? written : JSON.stringify({ ...fields, [stamped]: at.toISOString() });
  const requestId = webhook.request_id ?? '';
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Malipo-Webhooks/1',
    'x-callback-type': webhook.callback_type,
    // A merchant's own request id may hold what a header cannot.
    ...(/^[\x21-\x7e]+$/.test(requestId) && { 'x-request-id': requestId }),
    ...further,
    ...signatureHeaders(webhook.webhook_id, at, body, secrets),
  };
  return { headers, body };
}
