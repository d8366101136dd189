/** How each try to tell an endpoint went. */
import { validate as isUuid } from 'uuid';
import type { Database } from '../../store/database';
import { placeBefore, type ListPlace } from '../../store/list-place';
import type { EndpointTryRow } from '../../store/tables';

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
