/** Which endpoints have something to be sent, and whose they are meanwhile. */
import type { Database, Transaction } from '../../store/database';
import type { WebhookEndpointRow } from '../../store/tables';

const foundMax = 200;

/** Those that are due and whose merchant's feed goes on behind their place, the longest due first. */
export async function findDueEndpoints(db: Database): Promise<WebhookEndpointRow[]> {
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
 * Takes an endpoint for the caller alone, for so long.
 * @returns false where somebody else was faster, or where it is ended.
 */
export async function takeEndpoint(
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

export function inMs(db: Database | Transaction, ms: number) {
  return db.raw<Date>('UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND', [ms * 1000]);
}
