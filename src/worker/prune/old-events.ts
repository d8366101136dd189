/** Deletes old events of the feed: their bodies contain personal data, as those of webhooks do. */
import { lockHead } from '../../events/read-events';
import type { Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type PruneJob } from './job';

const keptDays = 90;

interface Old {
  event_seq: string;
  merchant_id: string;
  position: string | null;
}

/** @param bodiesKeptDays how long a webhook's body is stored. An event's body is not stored longer. */
export const eventsKeptDays = (bodiesKeptDays: number) => Math.min(keptDays, bodiesKeptDays);

export function eventJobs(bodiesKeptDays: number): PruneJob[] {
  const days = eventsKeptDays(bodiesKeptDays);
  const isOld = `created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(days)} DAY`;
  return [
    {
      what: 'events',
      count: (db) => countBy(db, `SELECT COUNT(*) AS n FROM events WHERE ${isOld}`, []),
      takeSome: (db) =>
        inTransaction(db, async (trx) => {
          const old = await trx('events')
            .whereRaw(isOld)
            .orderBy('created_at')
            .limit(batch)
            .select('event_seq', 'merchant_id');
          const seqs = old.map(({ event_seq: seq }) => seq);
          // Always in the same order, so that no deadlock can occur.
          const merchants = [...new Set(old.map(({ merchant_id: id }) => id))].sort();
          for (const merchantId of merchants) await forget(trx, merchantId, seqs);
          const taken = await trx('events').whereIn('event_seq', seqs).delete();
          return { taken, isMore: old.length === batch };
        }),
    },
  ];
}

/**
 * Stores up to which position the feed was deleted, so that a reader with an older cursor gets an error. Positions of
 * events that no reader has fetched yet are not affected.
 */
async function forget(trx: Transaction, merchantId: string, seqs: readonly string[]): Promise<void> {
  await trx('event_heads').insert({ merchant_id: merchantId }).onConflict('merchant_id').ignore();
  const head = await lockHead(trx, merchantId);
  const going: Old[] = await trx('events')
    .whereIn('event_seq', seqs)
    .where({ merchant_id: merchantId })
    .select('event_seq', 'merchant_id', 'position');
  const numbered = going.flatMap(({ position }) => (position === null ? [] : [Number(position)]));
  const unread = going.length - numbered.length;
  const last = Number(head?.last_position ?? 0) + unread;
  const forgotten = unread > 0 ? last : Math.max(Number(head?.forgotten_position ?? 0), ...numbered);
  await trx('event_heads')
    .where({ merchant_id: merchantId })
    .update({ last_position: String(last), forgotten_position: String(forgotten) });
}
