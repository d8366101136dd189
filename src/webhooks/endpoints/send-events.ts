/** Sends an endpoint what follows its place in the feed, one event after the other, and moves the place with each. */
import type { Environment } from '../../config';
import type { EventType } from '../../domain/event';
import type { Log } from '../../domain/log';
import { placeOf, type Place } from '../../events/cursor';
import { readEvents } from '../../events/read-events';
import type { SecretBox } from '../../merchants/secrets';
import type { Database } from '../../store/database';
import type { EventRow, WebhookEndpointRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import type { PostResult } from '../post';
import { pauseAfter } from '../schedule';
import { recordDelivery } from './deliveries';
import { findDueEndpoints, inMs, takeEndpoint } from './due-endpoints';
import { eventPoster, timeoutMs } from './post-event';
import { findEndpointsToSendAgain, isSentAgainNow } from './resends';
import { sendAgain } from './send-again';
import { supersededBy } from './superseded-events';

export interface EndpointSenderOptions {
  db: Database;
  box: SecretBox;
  environment: Environment;
  timeScale: number;
  log: Log;
}

interface Tried {
  event: EventRow;
  n: number;
  result: PostResult;
}

/** An event that is not sent, because a later one has replaced it. */
interface PassedOver {
  event: EventRow;
  n: number;
  result: { supersededBy: string };
}

export interface EndpointSender {
  /** Begins with those that are due, as many as there is room for; resolves before they are done. */
  round(): Promise<void>;
  /** Resolves once nothing is under way. */
  close(): Promise<void>;
}

/** Endpoints that are worked on at a time: one that does not answer holds up no other. */
const atOnceMax = 40;
/** How long one is worked on before others of its merchant have their turn, and how much longer nobody else takes it. */
const turnMs = 5_000;
const leaseMs = turnMs + timeoutMs + 5_000;
const pageMax = 50;
/** How long an endpoint waits while an earlier event of the same payment is sent to it again. */
const sentAgainMs = 500;

export function createEndpointSender({
  db,
  box,
  environment,
  timeScale,
  log,
}: EndpointSenderOptions): EndpointSender {
  const poster = eventPoster({ box, environment });
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
        const later = await supersededBy(db, endpoint, event);
        if (later !== undefined) {
          const passedOver = { event, n: tries + 1, result: { supersededBy: later } };
          if (!(await move(endpoint, place, placeOf(event), passedOver))) return;
          place = placeOf(event);
          tries = 0;
          continue;
        }
        // What is sent again must not arrive behind what has replaced it.
        if (await isSentAgainNow(db, endpoint, event)) return free(endpoint, sentAgainMs);
        const result = await poster.post(endpoint, event);
        const tried = { event, n: tries + 1, result };
        const pauseMs = result.error === null ? undefined : pauseAfter(tried.n, { timeScale });
        if (pauseMs !== undefined) return wait(endpoint, tried, pauseMs);
        if (!(await move(endpoint, place, placeOf(event), tried))) return;
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

  /** @returns false where somebody else has it by now, or it is ended. */
  async function move(
    { endpoint_id: endpointId }: WebhookEndpointRow,
    from: Place,
    to: Place,
    passed?: Tried | PassedOver,
  ): Promise<boolean> {
    const tried = passed && isTried(passed) ? passed : undefined;
    const isDelivered = tried?.result.error === null;
    return inTransaction(db, async (trx) => {
      const changed = await trx('webhook_endpoints')
        .where({ endpoint_id: endpointId, position: String(from.position) })
        .whereNull('ended_at')
        .update({
          position: String(to.position),
          event_id: to.eventId,
          ...(passed && { tries: 0 }),
          ...(tried && { last_status: tried.result.httpStatus, last_error: tried.result.error }),
          ...(isDelivered && { delivered_at: trx.raw<Date>('UTC_TIMESTAMP(3)') }),
          ...(tried && !isDelivered && { skipped: trx.raw<string>('skipped + 1') }),
        });
      // It was sent, whoever has it by now.
      if (passed && (tried || changed === 1)) await recordDelivery(trx, { endpointId, ...passed });
      return changed === 1;
    });
  }

  async function wait(endpoint: WebhookEndpointRow, tried: Tried, pauseMs: number): Promise<void> {
    const { httpStatus, error } = tried.result;
    log.warn('an event was not delivered to an endpoint', {
      ...idsOf(endpoint),
      http_status: httpStatus,
      error,
      next_in_ms: pauseMs,
    });
    const { endpoint_id: endpointId } = endpoint;
    await inTransaction(db, async (trx) => {
      await trx('webhook_endpoints')
        .where({ endpoint_id: endpointId })
        .update({
          tries: trx.raw<number>('tries + 1'),
          last_status: httpStatus,
          last_error: error,
          next_at: inMs(trx, pauseMs),
        });
      await recordDelivery(trx, { endpointId, ...tried });
    });
  }

  async function free({ endpoint_id: endpointId }: WebhookEndpointRow, pauseMs: number): Promise<void> {
    await db('webhook_endpoints')
      .where({ endpoint_id: endpointId })
      .update({ next_at: inMs(db, pauseMs) });
  }

  /** One at a time of each name, and not too many of all. */
  function begin(name: string, endpointId: string, toDo: () => Promise<void>): void {
    if (isClosing() || underWay.size >= atOnceMax || underWay.has(name)) return;
    const working = toDo()
      .catch((error: unknown) => {
        const fields = { endpoint_id: endpointId, error };
        log.warn('an endpoint could not be sent its events; they are tried again', fields);
      })
      .finally(() => underWay.delete(name));
    underWay.set(name, working);
  }

  return {
    async round() {
      for (const endpoint of await findDueEndpoints(db))
        begin(endpoint.endpoint_id, endpoint.endpoint_id, () => work(endpoint));
      for (const endpoint of await findEndpointsToSendAgain(db)) {
        const again = () => sendAgain({ db, log, timeScale, poster, isClosing }, endpoint);
        begin(`again:${endpoint.endpoint_id}`, endpoint.endpoint_id, again);
      }
    },
    async close() {
      closing.abort();
      await Promise.all(underWay.values());
      await poster.close();
    },
  };
}

const isTried = (passed: Tried | PassedOver): passed is Tried => 'error' in passed.result;

const idsOf = ({ endpoint_id, merchant_id }: WebhookEndpointRow) => ({ endpoint_id, merchant_id });
