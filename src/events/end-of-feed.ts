import type { Database } from '../store/database';
import { beginning, placeOf, type Place } from './cursor';
import { readEvents } from './read-events';

const pageMax = 500;

/** Where a reader is who wants what is committed from now on: at the last event that is, all of them in order. */
export async function endOfFeed(db: Database, merchantId: string): Promise<Place> {
  let place = await lastNumbered(db, merchantId);
  for (;;) {
    const page = await readEvents(db, merchantId, { after: place, limit: pageMax });
    // Pruned meanwhile.
    place = typeof page === 'string' ? await lastNumbered(db, merchantId) : page.place;
    if (typeof page !== 'string' && !page.hasMore) return page.place;
  }
}

async function lastNumbered(db: Database, merchantId: string): Promise<Place> {
  const last = await db('events')
    .where({ merchant_id: merchantId })
    .whereNotNull('position')
    .orderBy('position', 'desc')
    .first('position', 'event_id');
  if (last) return placeOf(last);
  // All of them may be pruned.
  const head = await db('event_heads').where({ merchant_id: merchantId }).first('forgotten_position');
  return { ...beginning, position: Number(head?.forgotten_position ?? 0) };
}
