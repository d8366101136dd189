/** What is to be sent to an endpoint once more: beside its place in the feed, which goes on meanwhile. */
import { validate as isUuid } from 'uuid';
import { PaymentError } from '../../domain/errors';
import type { Database, Transaction } from '../../store/database';
import type { EndpointResendRow, EventRow, WebhookEndpointRow } from '../../store/tables';
import { inMs } from '../attempts';
import { supersededBy } from './superseded-events';

const foundMax = 200;
/** Of one endpoint, at each look. */
const atOnce = 50;

/**
 * Wants an event that was sent, or tried, sent once more, with all tries before it. One that is wanted already is begun anew.
 * @throws PaymentError WEBHOOK_NOT_FOUND for what was never sent there, WEBHOOK_NOT_KEPT once its event is pruned, or
 *   WEBHOOK_SUPERSEDED where a later status that the endpoint takes has replaced it.
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

/** Endpoints in use with something that is due. */
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

/** Of one endpoint, the longest due first. */
export function dueResends(db: Database, endpointId: string): Promise<EndpointResendRow[]> {
  return db('endpoint_resends')
    .where({ endpoint_id: endpointId })
    .where('next_at', '<=', db.raw('UTC_TIMESTAMP(3)'))
    .orderBy('next_at')
    .limit(atOnce);
}

/**
 * Takes one for the caller alone, for so long: who dies with it leaves it to be sent again.
 * @returns false where somebody else was faster.
 */
export async function takeResend(db: Database, resend: EndpointResendRow, ms: number): Promise<boolean> {
  const changed = await sameResend(db, resend)
    .where('next_at', '<=', db.raw('UTC_TIMESTAMP(3)'))
    .update({ next_at: inMs(db, ms), claimed_until: inMs(db, ms) });
  return changed === 1;
}

/** @returns undefined once it is pruned. */
export function eventAt(
  db: Database,
  merchantId: string,
  { position, eventId }: { position: string; eventId: string },
): Promise<EventRow | undefined> {
  return db('events').where({ merchant_id: merchantId, position, event_id: eventId }).first();
}

/**
 * Whether an earlier event of the same payment is being sent to the endpoint again at this moment. Most endpoints have
 * nothing to be sent again.
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

/** It has arrived, or is given up. One that was wanted anew meanwhile stays. */
export async function endResend(trx: Transaction | Database, resend: EndpointResendRow): Promise<void> {
  await sameResend(trx, resend).delete();
}

export async function putOffResend(
  trx: Transaction,
  resend: EndpointResendRow,
  pauseMs: number,
): Promise<void> {
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
