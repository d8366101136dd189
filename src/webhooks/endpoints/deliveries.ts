/** How each try to tell an endpoint went. */
import { v7 as uuidV7, validate as isUuid } from 'uuid';
import type { Database, Transaction } from '../../store/database';
import { placeBefore, type ListPlace } from '../../store/list-place';
import type { EndpointTryRow, EventRow } from '../../store/tables';
import type { PostResult } from '../post';

interface Tried {
  endpointId: string;
  event: EventRow;
  /** Counts from 1. */
  n: number;
  /** How it was answered, or by which later event it is replaced, so that it is not sent. */
  result: PostResult | { supersededBy: string };
}

/** What is written of an event that was not sent. */
const unsent = { httpStatus: null, durationMs: 0, error: 'a later status has replaced it', excerpt: null };

/** Written with the place that it moves, or the pause that it begins. */
export async function recordDelivery(
  trx: Transaction,
  { endpointId, event, n, result }: Tried,
): Promise<void> {
  const supersededBy = 'supersededBy' in result ? result.supersededBy : null;
  const { httpStatus, durationMs, error, excerpt } = 'supersededBy' in result ? unsent : result;
  await trx('endpoint_tries').insert({
    delivery_id: uuidV7(),
    endpoint_id: endpointId,
    event_id: event.event_id,
    position: event.position ?? '0',
    payment_id: event.payment_id,
    type: event.type,
    n,
    http_status: httpStatus,
    duration_ms: durationMs,
    error,
    response_excerpt: excerpt,
    superseded_by: supersededBy,
    created_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
  });
}

export interface PageOfDeliveries {
  deliveries: EndpointTryRow[];
  next: ListPlace | undefined;
}

/** Newest first: all of an endpoint, or those of one event. */
export async function listEndpointDeliveries(
  db: Database,
  endpointId: string,
  eventId: string | undefined,
  { before, limit }: { before: ListPlace | undefined; limit: number },
): Promise<PageOfDeliveries> {
  const query = db('endpoint_tries')
    .where({
      endpoint_id: endpointId,
      ...(eventId !== undefined && { event_id: isUuid(eventId) ? eventId : '' }),
    })
    .orderBy('created_at', 'desc')
    .orderBy('delivery_id', 'desc')
    .limit(limit + 1);
  if (before) placeBefore(query, 'delivery_id', before);
  const found: EndpointTryRow[] = await query;
  const deliveries = found.slice(0, limit);
  const last = deliveries.at(-1);
  return {
    deliveries,
    next: found.length > limit && last ? { at: last.created_at, id: last.delivery_id } : undefined,
  };
}
