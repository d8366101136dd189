/** Events that an endpoint gets again, independent of its position in the feed. */
import { validate as isUuid } from 'uuid';
import { PaymentError } from '../../domain/errors';
import type { Log } from '../../domain/log';
import type { Database, Transaction } from '../../store/database';
import { beforeCursor, type ListCursor } from '../../store/list-cursor';
import type { EndpointResendRow, EventRow, WebhookEndpointRow, EndpointTryRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { inMs, notSent, logFailure, noteAttempt, type Attempt } from '../attempts';

const foundMax = 200;
/** For one endpoint, per search. */
const atOnce = 50;

/**
 * Plans to send an event again that was sent, or tried, with all its tries from the start. An event that is planned
 * already starts again.
 * @throws PaymentError WEBHOOK_NOT_FOUND for an event that was never sent there, WEBHOOK_NOT_KEPT once its event is
 *   pruned, or WEBHOOK_SUPERSEDED where a later status that the endpoint receives has replaced it.
 */
export async function resendEvent(
  db: Database,
  endpoint: WebhookEndpointRow,
  eventId: string,
): Promise<EventRow> {
  const { endpoint_id: endpointId, merchant_id: merchantId } = endpoint;
  const tried = isUuid(eventId)
    ? await db('endpoint_tries')
        .where({ endpoint_id: endpointId, event_id: eventId })
        .orderBy('created_at', 'desc')
        .first('position')
    : undefined;
  if (!tried) throw new PaymentError('WEBHOOK_NOT_FOUND');
  const event = await eventAt(db, merchantId, { position: tried.position, eventId });
  if (!event) throw new PaymentError('WEBHOOK_NOT_KEPT');
  if ((await supersededBy(db, endpoint, event)) !== undefined) throw new PaymentError('WEBHOOK_SUPERSEDED');
  const now = db.raw<Date>('UTC_TIMESTAMP(3)');
  await db('endpoint_resends')
    .insert({
      ...{ endpoint_id: endpointId, event_id: eventId, position: tried.position },
      ...{ next_at: now, created_at: now },
    })
    .onConflict(['endpoint_id', 'event_id'])
    .merge({ tries: 0, next_at: now, created_at: now });
  return event;
}

/** Endpoints in use with a due resend. */
export async function findEndpointsToSendAgain(db: Database): Promise<WebhookEndpointRow[]> {
  const [rows] = (await db.raw(
    `SELECT e.* FROM webhook_endpoints e
     WHERE e.ended_at IS NULL AND EXISTS (
       SELECT 1 FROM endpoint_resends r
       WHERE r.endpoint_id = e.endpoint_id AND r.next_at <= UTC_TIMESTAMP(3))
     LIMIT ${String(foundMax)}`,
  )) as unknown as [WebhookEndpointRow[]];
  return rows;
}

/** The due resends of one endpoint, the longest due first. */
function dueResends(db: Database, endpointId: string): Promise<EndpointResendRow[]> {
  return db('endpoint_resends')
    .where({ endpoint_id: endpointId })
    .where('next_at', '<=', db.raw('UTC_TIMESTAMP(3)'))
    .orderBy('next_at')
    .limit(atOnce);
}

/**
 * Claims one for a limited time: if the process dies, it is sent again.
 * @returns false where another process was faster.
 */
async function takeResend(db: Database, resend: EndpointResendRow, ms: number): Promise<boolean> {
  const changed = await sameResend(db, resend)
    .where('next_at', '<=', db.raw('UTC_TIMESTAMP(3)'))
    .update({ next_at: inMs(db, ms), claimed_until: inMs(db, ms) });
  return changed === 1;
}

/** @returns undefined once the event is pruned. */
function eventAt(
  db: Database,
  merchantId: string,
  { position, eventId }: { position: string; eventId: string },
): Promise<EventRow | undefined> {
  return db('events').where({ merchant_id: merchantId, position, event_id: eventId }).first();
}

/**
 * Whether an earlier event of the same payment is being sent again to the endpoint now. Most endpoints have no
 * resends.
 */
export async function isSentAgainNow(
  db: Database,
  { endpoint_id: endpointId, merchant_id: merchantId }: WebhookEndpointRow,
  { payment_id: paymentId, event_seq: seq }: EventRow,
): Promise<boolean> {
  const underWay = await db('endpoint_resends as r')
    .join('events as v', (on) => on.on('v.position', 'r.position').onVal('v.merchant_id', merchantId))
    .where('r.endpoint_id', endpointId)
    .where('r.claimed_until', '>', db.raw('UTC_TIMESTAMP(3)'))
    .where('v.payment_id', paymentId)
    .where('v.event_seq', '<', seq)
    .first<{ event_id: string } | undefined>('r.event_id');
  return underWay !== undefined;
}

/** Ends a resend that has arrived, or is given up. One that was requested again in the meantime stays. */
async function endResend(trx: Transaction | Database, resend: EndpointResendRow): Promise<void> {
  await sameResend(trx, resend).delete();
}

async function putOffResend(trx: Transaction, resend: EndpointResendRow, pauseMs: number): Promise<void> {
  await sameResend(trx, resend).update({
    tries: resend.tries + 1,
    next_at: inMs(trx, pauseMs),
    claimed_until: null,
  });
}

function sameResend(
  trx: Transaction | Database,
  { endpoint_id, event_id, tries, created_at }: EndpointResendRow,
) {
  return trx('endpoint_resends').where({ endpoint_id, event_id, tries, created_at });
}

// The result of each try at an endpoint.

interface PageOfDeliveries {
  deliveries: EndpointTryRow[];
  next: ListCursor | undefined;
}

/** Newest first: all of an endpoint, or those of one event. */
export async function listEndpointDeliveries(
  db: Database,
  endpointId: string,
  eventId: string | undefined,
  { before, limit }: { before: ListCursor | undefined; limit: number },
): Promise<PageOfDeliveries> {
  const query = db('endpoint_tries')
    .where({
      endpoint_id: endpointId,
      ...(eventId !== undefined && { event_id: isUuid(eventId) ? eventId : '' }),
    })
    .orderBy('created_at', 'desc')
    .orderBy('delivery_id', 'desc')
    .limit(limit + 1);
  if (before) beforeCursor(query, 'delivery_id', before);
  const found: EndpointTryRow[] = await query;
  const deliveries = found.slice(0, limit);
  const last = deliveries.at(-1);
  return {
    deliveries,
    next: found.length > limit && last ? { at: last.created_at, id: last.delivery_id } : undefined,
  };
}

// Events that an endpoint does not get any more, because a later status of the same payment has replaced them.

/**
 * Only the event types that the endpoint receives count: an event is sent unless it receives a later one that
 * replaces it.
 * @returns the id of the later event, the first that replaces it.
 */
export async function supersededBy(
  db: Database,
  { types }: WebhookEndpointRow,
  { payment_id: paymentId, event_seq: seq, replaceable }: EventRow,
): Promise<string | undefined> {
  if (replaceable === 0) return undefined;
  const later = await db('events')
    .where({ payment_id: paymentId })
    .where('event_seq', '>', seq)
    .where('replaces', '>=', replaceable)
    .whereIn('type', types.split(',') as EventRow['type'][])
    .orderBy('event_seq')
    .first('event_id');
  return later?.event_id;
}

/** The stored result of an event that is not sent, because a later one has replaced it. */
export function passedOver(n: number): Attempt {
  return { n, result: notSent('a later status has replaced it'), pauseMs: undefined };
}

// Sends requested events again: those of one endpoint one after the other, independent of its feed.

interface Again {
  db: Database;
  log: Log;
  /** Makes one attempt, which takes `timeoutMs` at most. */
  send(endpoint: WebhookEndpointRow, event: EventRow, n: number): Promise<Attempt>;
  timeoutMs: number;
  isClosing(): boolean;
}

const words = {
  again: 'a resent event was not delivered',
  abandoned: 'a resent event was not delivered and its attempts ended',
};
/** How long one endpoint's resends run before other endpoints have their turn. */
const turnMs = 5_000;
/** How much longer than an attempt a claim lasts: time to write the result. */
const claimMarginMs = 10_000;

/** Sends one endpoint its due resends, until its turn is over. */
export async function sendAgain(again: Again, endpoint: WebhookEndpointRow): Promise<void> {
  const until = performance.now() + turnMs;
  for (const resend of await dueResends(again.db, endpoint.endpoint_id)) {
    if (again.isClosing() || performance.now() >= until) return;
    if (await takeResend(again.db, resend, again.timeoutMs + claimMarginMs))
      await sendOne(again, endpoint, resend);
  }
}

async function sendOne(
  { db, log, send }: Again,
  endpoint: WebhookEndpointRow,
  resend: EndpointResendRow,
): Promise<void> {
  const { endpoint_id: endpointId, merchant_id: merchantId } = endpoint;
  const event = await eventAt(db, merchantId, { position: resend.position, eventId: resend.event_id });
  // Pruned since the request.
  if (!event) return endResend(db, resend);
  const n = resend.tries + 1;
  const later = await supersededBy(db, endpoint, event);
  const attempt = later === undefined ? await send(endpoint, event, n) : passedOver(n);
  const { pauseMs } = attempt;
  await inTransaction(db, async (trx) => {
    await noteAttempt(trx, { endpointId, event, supersededBy: later }, attempt);
    await (pauseMs === undefined ? endResend(trx, resend) : putOffResend(trx, resend, pauseMs));
  });
  const ids = { endpoint_id: endpointId, merchant_id: merchantId, event_id: event.event_id };
  if (later === undefined) logFailure(log, attempt, words, ids);
}
