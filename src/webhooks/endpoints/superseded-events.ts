/** Which events an endpoint is not sent any more, because a later status of the same payment has replaced them. */
import type { Database } from '../../store/database';
import type { EventRow, WebhookEndpointRow } from '../../store/tables';
import { notSent, type Attempt } from '../attempts';

/**
 * Judged by the types that the endpoint takes: what is replaced by nothing that it is sent is sent.
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

/** What is noted of an event that is not sent, since a later one has replaced it. */
export function passedOver(n: number): Attempt {
  return { n, result: notSent('a later status has replaced it'), pauseMs: undefined };
}
