import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import type { EventHeadRow } from '../store/tables';

/** Locks how far the events of a merchant are in order, until the COMMIT: one numbers them, or forgets some, at a time. */
export async function lockHead(trx: Transaction, merchantId: string): Promise<EventHeadRow | undefined> {
  return trx('event_heads').where({ merchant_id: merchantId }).forUpdate().first();
}

/**
 * Gives the next positions to events of a merchant that are committed and have none, at most `atMost` of them. The lock
 * makes positions appear one after the other: whoever sees one sees all before it.
 */
export async function numberEvents(db: Database, merchantId: string, atMost: number): Promise<void> {
  const waits = await unnumbered(db, merchantId).limit(1);
  if (waits.length === 0) return;
  await inTransaction(db, async (trx) => {
    const head = await lockHead(trx, merchantId);
    if (!head) throw new Error(`nobody has opened the feed of merchant ${merchantId}`);
    // Read after the lock was given: what another has numbered meanwhile has its position here.
    const waiting = await unnumbered(trx, merchantId).limit(atMost);
    if (waiting.length === 0) return;
    const places = waiting.map(({ event_seq: seq }) => seq);
    await trx('events')
      .whereIn('event_seq', places)
      .update({
        position: trx.raw<string>(`? + FIELD(event_seq, ${places.map(() => '?').join(', ')})`, [
          head.last_position,
          ...places,
        ]),
      });
    await trx('event_heads')
      .where({ merchant_id: merchantId })
      .update({ last_position: trx.raw<string>('last_position + ?', [places.length]) });
  });
}

/** In the order in which they were written, which for one payment is that of its changes. */
function unnumbered(db: Database | Transaction, merchantId: string) {
  return db('events')
    .where({ merchant_id: merchantId })
    .whereNull('position')
    .orderBy('event_seq')
    .select('event_seq');
}

/** Opens the feed of a merchant: from now on it is known what is forgotten of it. */
export async function openHead(db: Database, merchantId: string): Promise<EventHeadRow> {
  const find = () => db('event_heads').where({ merchant_id: merchantId }).first();
  const head = await find();
  if (head) return head;
  await db('event_heads').insert({ merchant_id: merchantId }).onConflict('merchant_id').ignore();
  const opened = await find();
  if (!opened) throw new Error(`the feed of merchant ${merchantId} cannot be opened`);
  return opened;
}
