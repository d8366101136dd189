/** Sends an endpoint what follows its place in the feed, one event after the other, and moves the place with each. */
import type { Environment } from '../../config';
import type { EventType } from '../../domain/event';
import type { Log } from '../../domain/log';
import { placeOf, type Place } from '../../events/cursor';
import { readEvents } from '../../events/read-events';
import { faultOfUrl } from '../../merchants/allowed-url';
import { webhookSecretsOf } from '../../merchants/merchants';
import type { SecretBox } from '../../merchants/secrets';
import type { Database } from '../../store/database';
import type { EventRow, WebhookEndpointRow } from '../../store/tables';
import { guardedAgent } from '../guarded-agent';
import { postWebhook, type PostResult } from '../post';
import { pauseAfter } from '../schedule';
import { signatureHeaders } from '../signature';
import { findDueEndpoints, inMs, takeEndpoint } from './due-endpoints';

export interface EndpointSenderOptions {
  db: Database;
  box: SecretBox;
  environment: Environment;
  timeScale: number;
  log: Log;
}

export interface EndpointSender {
  /** Begins with those that are due, as many as there is room for; resolves before they are done. */
  round(): Promise<void>;
  /** Resolves once nothing is under way. */
  close(): Promise<void>;
}

/** Endpoints that are worked on at a time: one that does not answer holds up no other. */
const atOnceMax = 40;
const timeoutMs = 10_000;
/** How long one is worked on before others of its merchant have their turn, and how much longer nobody else takes it. */
const turnMs = 5_000;
const leaseMs = turnMs + timeoutMs + 5_000;
const pageMax = 50;

export function createEndpointSender({
  db,
  box,
  environment,
  timeScale,
  log,
}: EndpointSenderOptions): EndpointSender {
  const agent = guardedAgent({ environment, connectTimeoutMs: timeoutMs / 2 });
  const underWay = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;

  async function work(endpoint: WebhookEndpointRow): Promise<void> {
    if (!(await takeEndpoint(db, endpoint, leaseMs))) return;
    const until = performance.now() + turnMs;
    let place: Place = { position: Number(endpoint.position), eventId: endpoint.event_id };
    let { tries } = endpoint;
    while (!isClosing() && performance.now() < until) {
      const page = await pageAfter(endpoint, place);
      for (const event of page.events) {
        if (isClosing() || performance.now() >= until) return free(endpoint, 0);
        const result = await send(endpoint, event);
        const pauseMs = result.error === null ? undefined : pauseAfter(tries + 1, { timeScale });
        if (pauseMs !== undefined) return wait(endpoint, result, pauseMs);
        if (!(await move(endpoint, place, placeOf(event), result))) return;
        place = placeOf(event);
        tries = 0;
        if (result.error !== null)
          log.error('an event is given up for an endpoint', { ...idsOf(endpoint), event_id: event.event_id });
      }
      if (page.place.position > place.position) {
        if (!(await move(endpoint, place, page.place))) return;
        place = page.place;
      }
      if (!page.hasMore) break;
    }
    await free(endpoint, 0);
  }

  /** From the oldest that is kept, where what followed the place is pruned: repeats are known by their ids. */
  async function pageAfter({ merchant_id: merchantId, types }: WebhookEndpointRow, after: Place) {
    const wanted = { types: new Set(types.split(',') as EventType[]), limit: pageMax };
    const page = await readEvents(db, merchantId, { ...wanted, ...(after.position > 0 && { after }) });
    if (typeof page !== 'string') return page;
    const anew = await readEvents(db, merchantId, wanted);
    if (typeof anew === 'string') throw new Error(`the feed of ${merchantId} is ${anew} from its beginning`);
    return anew;
  }

  async function send(endpoint: WebhookEndpointRow, event: EventRow): Promise<PostResult> {
    // The rules may have become stricter since it was added.
    const fault = faultOfUrl(endpoint.url, environment);
    if (fault !== undefined)
      return { httpStatus: null, error: `the URL ${fault}`, excerpt: null, durationMs: 0, timedOut: false };
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Malipo-Webhooks/1',
      'x-callback-type': event.callback_type,
      'x-event-type': event.type,
      ...signatureHeaders(event.event_id, new Date(), event.body, webhookSecretsOf(box, endpoint)),
    };
    return postWebhook(agent, { url: endpoint.url, headers, body: event.body, timeoutMs });
  }

  /** @returns false where somebody else has it by now, or it is ended. */
  async function move(
    { endpoint_id: endpointId }: WebhookEndpointRow,
    from: Place,
    to: Place,
    result?: PostResult,
  ): Promise<boolean> {
    const isDelivered = result?.error === null;
    const changed = await db('webhook_endpoints')
      .where({ endpoint_id: endpointId, position: String(from.position) })
      .whereNull('ended_at')
      .update({
        position: String(to.position),
        event_id: to.eventId,
        ...(result && { tries: 0, last_status: result.httpStatus, last_error: result.error }),
        ...(isDelivered && { delivered_at: db.raw<Date>('UTC_TIMESTAMP(3)') }),
        ...(result && !isDelivered && { skipped: db.raw<string>('skipped + 1') }),
      });
    return changed === 1;
  }

  async function wait(endpoint: WebhookEndpointRow, result: PostResult, pauseMs: number): Promise<void> {
    const { httpStatus, error } = result;
    log.warn('an event was not delivered to an endpoint', {
      ...idsOf(endpoint),
      http_status: httpStatus,
      error,
      next_in_ms: pauseMs,
    });
    await db('webhook_endpoints')
      .where({ endpoint_id: endpoint.endpoint_id })
      .update({
        tries: db.raw<number>('tries + 1'),
        last_status: httpStatus,
        last_error: error,
        next_at: inMs(db, pauseMs),
      });
  }

  async function free({ endpoint_id: endpointId }: WebhookEndpointRow, pauseMs: number): Promise<void> {
    await db('webhook_endpoints')
      .where({ endpoint_id: endpointId })
      .update({ next_at: inMs(db, pauseMs) });
  }

  return {
    async round() {
      for (const endpoint of await findDueEndpoints(db)) {
        const { endpoint_id: id } = endpoint;
        if (isClosing() || underWay.size >= atOnceMax) return;
        if (underWay.has(id)) continue;
        const working = work(endpoint)
          .catch((error: unknown) => {
            log.warn('an endpoint could not be sent its events; they are tried again', {
              ...idsOf(endpoint),
              error,
            });
          })
          .finally(() => underWay.delete(id));
        underWay.set(id, working);
      }
    },
    async close() {
      closing.abort();
      await Promise.all(underWay.values());
      await agent.close();
    },
  };
}

const idsOf = ({ endpoint_id, merchant_id }: WebhookEndpointRow) => ({ endpoint_id, merchant_id });
