/**
 * Sends an endpoint the events after its position in the feed, one after the other, and moves the position with each.
 */
import type { Environment } from '../../config';
import type { EventType } from '../../domain/event';
import type { Log } from '../../domain/log';
import { positionOf, type EventPosition } from '../../events/cursor';
import { readEvents } from '../../events/read-events';
import { webhookSecretsOf } from '../../merchants/merchants';
import type { SecretBox } from '../../merchants/secrets';
import type { Database } from '../../store/database';
import type { EventRow, WebhookEndpointRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { attemptOf, createPoster, inMs, logFailure, noteAttempt, type Attempt } from '../attempts';
import { findEndpointsToSendAgain, isSentAgainNow, passedOver, supersededBy, sendAgain } from './resends';

export interface EndpointSenderOptions {
  db: Database;
  box: SecretBox;
  environment: Environment;
  timeScale: number;
  log: Log;
}

/** An event that the endpoint's position has passed: sent, given up, or replaced by a later one. */
interface Passed {
  event: EventRow;
  attempt: Attempt;
  supersededBy?: string;
}

export interface EndpointSender {
  /** Starts the due endpoints, up to the concurrency limit; resolves before they are done. */
  round(): Promise<void>;
  /** Resolves once no delivery is under way. */
  close(): Promise<void>;
}

/** Endpoints in work at a time: one that does not answer delays no other. */
const atOnceMax = 40;
/** How long one endpoint runs before others of its merchant have their turn, and how much longer its claim lasts. */
const turnMs = 5_000;
const timeoutMs = 10_000;
const leaseMs = turnMs + timeoutMs + 5_000;
const pageMax = 50;
const foundMax = 200;
/** How long an endpoint waits while an earlier event of the same payment is sent to it again. */
const sentAgainMs = 500;
const words = {
  again: 'an event was not delivered to an endpoint',
  abandoned: 'an event was not delivered to an endpoint and its attempts ended',
};

export function createEndpointSender({
  db,
  box,
  environment,
  timeScale,
  log,
}: EndpointSenderOptions): EndpointSender {
  const poster = createPoster({ environment, timeoutMs });
  const underWay = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;

  async function work(endpoint: WebhookEndpointRow): Promise<void> {
    if (!(await takeEndpoint(db, endpoint, leaseMs))) return;
    const until = performance.now() + turnMs;
    let place: EventPosition = { position: Number(endpoint.position), eventId: endpoint.event_id };
    let { tries } = endpoint;
    while (!isClosing() && performance.now() < until) {
      const page = await pageAfter(endpoint, place);
      for (const event of page.events) {
        if (isClosing() || performance.now() >= until) return free(endpoint, 0);
        const later = await supersededBy(db, endpoint, event);
        if (later !== undefined) {
          const passed = { event, attempt: passedOver(tries + 1), supersededBy: later };
          if (!(await moveOn(endpoint, place, positionOf(event), passed))) return;
          place = positionOf(event);
          tries = 0;
          continue;
        }
        // A resent event must not arrive after the event that has replaced it.
        if (await isSentAgainNow(db, endpoint, event)) return free(endpoint, sentAgainMs);
        const attempt = await send(endpoint, event, tries + 1);
        if (attempt.pauseMs !== undefined) return wait(endpoint, { event, attempt }, attempt.pauseMs);
        if (!(await moveOn(endpoint, place, positionOf(event), { event, attempt }))) return;
        place = positionOf(event);
        tries = 0;
        logFailure(log, attempt, words, idsOf(endpoint, event));
      }
      if (page.place.position > place.position) {
        if (!(await moveOn(endpoint, place, page.place))) return;
        place = page.place;
      }
      if (!page.hasMore) break;
    }
    await free(endpoint, 0);
  }

  async function send(endpoint: WebhookEndpointRow, event: EventRow, n: number): Promise<Attempt> {
    const result = await poster.post({
      url: endpoint.url,
      id: event.event_id,
      callbackType: event.callback_type,
      eventType: event.type,
      body: event.body,
      at: new Date(),
      secrets: webhookSecretsOf(box, endpoint),
    });
    return attemptOf(n, result, { timeScale });
  }

  /**
   * Starts at the oldest stored event where those after the position are pruned: the merchant recognises repeats by
   * their ids.
   */
  async function pageAfter({ merchant_id: merchantId, types }: WebhookEndpointRow, after: EventPosition) {
    const wanted = { types: new Set(types.split(',') as EventType[]), limit: pageMax };
    const page = await readEvents(db, merchantId, { ...wanted, ...(after.position > 0 && { after }) });
    if (typeof page !== 'string') return page;
    const anew = await readEvents(db, merchantId, wanted);
    if (typeof anew === 'string') throw new Error(`the feed of ${merchantId} is ${anew} from its beginning`);
    return anew;
  }

  /** @returns false if another process has the lease by now, or the endpoint was deleted. */
  async function moveOn(
    { endpoint_id: endpointId }: WebhookEndpointRow,
    from: EventPosition,
    to: EventPosition,
    passed?: Passed,
  ): Promise<boolean> {
    const result = passed?.supersededBy === undefined ? passed?.attempt.result : undefined;
    const isDelivered = result?.error === null;
    return inTransaction(db, async (trx) => {
      const changed = await trx('webhook_endpoints')
        .where({ endpoint_id: endpointId, position: String(from.position) })
        .whereNull('ended_at')
        .update({
          position: String(to.position),
          event_id: to.eventId,
          ...(passed && { tries: 0 }),
          ...(result && { last_status: result.httpStatus, last_error: result.error }),
          ...(isDelivered && { delivered_at: trx.raw<Date>('UTC_TIMESTAMP(3)') }),
          ...(result && !isDelivered && { skipped: trx.raw<string>('skipped + 1') }),
        });
      // It was sent, whichever process has it by now.
      if (passed && (result || changed === 1))
        await noteAttempt(trx, { endpointId, ...passed }, passed.attempt);
      return changed === 1;
    });
  }

  async function wait(
    endpoint: WebhookEndpointRow,
    { event, attempt }: Passed,
    pauseMs: number,
  ): Promise<void> {
    logFailure(log, attempt, words, idsOf(endpoint, event));
    const { httpStatus, error } = attempt.result;
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
      await noteAttempt(trx, { endpointId, event }, attempt);
    });
  }

  async function free({ endpoint_id: endpointId }: WebhookEndpointRow, pauseMs: number): Promise<void> {
    await db('webhook_endpoints')
      .where({ endpoint_id: endpointId })
      .update({ next_at: inMs(db, pauseMs) });
  }

  /** One at a time for each name, and limited in total. */
  function begin(name: string, endpointId: string, toDo: () => Promise<void>): void {
    if (isClosing() || underWay.size >= atOnceMax || underWay.has(name)) return;
    const working = toDo()
      .catch((error: unknown) => {
        const fields = { endpoint_id: endpointId, error };
        log.warn('sending events to an endpoint failed; the service retries', fields);
      })
      .finally(() => underWay.delete(name));
    underWay.set(name, working);
  }

  return {
    async round() {
      for (const endpoint of await findDueEndpoints(db))
        begin(endpoint.endpoint_id, endpoint.endpoint_id, () => work(endpoint));
      for (const endpoint of await findEndpointsToSendAgain(db)) {
        const again = () => sendAgain({ db, log, send, timeoutMs, isClosing }, endpoint);
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

const idsOf = ({ endpoint_id, merchant_id }: WebhookEndpointRow, { event_id }: EventRow) => ({
  endpoint_id,
  merchant_id,
  event_id,
});

/** Due endpoints whose merchant's feed has events after their position, the longest due first. */
async function findDueEndpoints(db: Database): Promise<WebhookEndpointRow[]> {
  const [rows] = (await db.raw(
    `SELECT e.* FROM webhook_endpoints e
     WHERE e.ended_at IS NULL AND e.next_at <= UTC_TIMESTAMP(3)
       AND (EXISTS (SELECT 1 FROM events v WHERE v.merchant_id = e.merchant_id AND v.position > e.position)
         OR EXISTS (SELECT 1 FROM events v WHERE v.merchant_id = e.merchant_id AND v.position IS NULL))
     ORDER BY e.next_at LIMIT ${String(foundMax)}`,
  )) as unknown as [WebhookEndpointRow[]];
  return rows;
}

/**
 * Claims an endpoint for a limited time.
 * @returns false where another process was faster, or where it is ended.
 */
async function takeEndpoint(
  db: Database,
  { endpoint_id: endpointId, position, tries }: WebhookEndpointRow,
  leaseMs: number,
): Promise<boolean> {
  const changed = await db('webhook_endpoints')
    .where({ endpoint_id: endpointId, position, tries })
    .whereNull('ended_at')
    .where('next_at', '<=', db.raw('UTC_TIMESTAMP(3)'))
    .update({ next_at: inMs(db, leaseMs) });
  return changed === 1;
}
