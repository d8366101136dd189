/**
 * What the sweeper finds due, claimed in the payment's row: another worker, or this one in its next round, finds it
 * again only after a rest. Each search goes by an index whose first rows are the due ones.
 */
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import type { PaymentRow } from '../../store/tables';
import { batchOf, claimLooks, rest, type Claimed } from './claim-looks';

const batch = batchOf({ isBehind: false });

/** As many looks at what has ended as are claimed at once, and for how long at first: far longer than a question takes. */
const later = { batch: 50, firstMs: 120_000 };

/** Of these rails those with a look that is due. Most rounds find none, and need no transaction to know that. */
export async function railsWithDueLooks(
  db: Database,
  rails: readonly string[],
  { isFinal }: Pick<Due, 'isFinal'>,
): Promise<string[]> {
  const now = new Date();
  const firstOf = (rail: string) => dueLooks(db, now, { rail, isFinal, limit: 1 }).select('rail');
  const found = (await db.unionAll(rails.map(firstOf), true)) as { rail: string }[];
  return found.map(({ rail }) => rail);
}

/** Open payments of a rail whose next look is overdue: their workflow was lost, stands still, or was never begun. */
export function claimOverdueLooks(
  db: Database,
  rail: string,
  { isBehind }: { isBehind: boolean },
): Promise<(PaymentRow & Claimed)[]> {
  const which = { rail, isFinal: false, limit: batchOf({ isBehind }) };
  return claimLooks(db, 'payments', (trx, now) => dueLooks(trx, now, which).forUpdate().skipLocked());
}

/** Ended payments of a rail that are to be looked at now. */
export async function claimLaterLooks(db: Database, rail: string): Promise<(PaymentRow & Claimed)[]> {
  if ((await railsWithDueLooks(db, [rail], { isFinal: true })).length === 0) return [];
  const which = { rail, isFinal: true, limit: later.batch };
  const find = (trx: Transaction, now: Date) => dueLooks(trx, now, which).forUpdate().skipLocked();
  return claimLooks(db, 'payments', find, later.firstMs);
}

/** Payments whose inbox holds news that nobody has read since `before`. */
export function claimUnreadNotices(db: Database, before: Date): Promise<PaymentRow[]> {
  return claimRested(db, async (now) => [
    ...(await unreadNotices(db, before, now)),
    ...(await unreadHints(db, before, now)),
  ]);
}

/** Payments that owe their merchant a webhook which was due before `before`. */
export function claimOverdueWebhooks(db: Database, before: Date): Promise<PaymentRow[]> {
  return claimRested(db, (now) => overdueWebhooks(db, before, now));
}

/** Gives back what was claimed for its news or its webhook; what is known of its next look stays as it is. */
export async function releaseRested(db: Database, payments: PaymentRow[]): Promise<void> {
  await db('payments').whereIn('payment_id', idsOf(payments)).update({ woken_at: null });
}

async function claimRested(
  db: Database,
  find: (now: Date) => Promise<{ payment_id: string }[]>,
): Promise<PaymentRow[]> {
  const now = Date.now();
  // Of several who have found it, one may have woken it a moment ago.
  const rested = new Date(now - rest.firstMs);
  const found = idsOf(await find(new Date(now)));
  if (found.length === 0) return [];
  return inTransaction(db, async (trx) => {
    const free = await trx('payments')
      .whereIn('payment_id', found)
      .where((payment) => void payment.whereNull('woken_at').orWhere('woken_at', '<', rested))
      .forUpdate()
      .skipLocked();
    await trx('payments')
      .whereIn('payment_id', idsOf(free))
      .update({ woken_at: new Date(now) });
    return free;
  });
}

export interface Due {
  rail: string;
  isFinal: boolean;
  limit: number;
}

/** Exported, as the other three are, for the test that asks the database how it would find them. */
export function dueLooks(db: Database | Transaction, now: Date, { rail, isFinal, limit }: Due) {
  return db('payments')
    .where({ is_final: isFinal ? 1 : 0, rail })
    .where('next_look_at', '<=', now)
    .orderBy('next_look_at')
    .limit(limit);
}

export function unreadNotices(db: Database, before: Date, now: Date) {
  return db('inbox as i')
    .join('payments as p', 'p.payment_id', 'i.payment_id')
    .where('i.state', 'new')
    .whereNull('i.processed_at')
    .whereNull('i.follow_at')
    .where('i.received_at', '<', before)
    .whereRaw(...hasRested('i.received_at', now))
    .orderBy('i.received_at')
    .limit(batch)
    .select<{ payment_id: string }[]>('p.payment_id');
}

/** What nobody vouches for, once its moment has come. */
export function unreadHints(db: Database | Transaction, before: Date, now: Date) {
  return db('inbox as i')
    .join('payments as p', 'p.payment_id', 'i.payment_id')
    .where('i.state', 'new')
    .whereNull('i.processed_at')
    .where('i.follow_at', '<', before)
    .whereRaw(...hasRested('i.follow_at', now))
    .orderBy('i.follow_at')
    .limit(batch)
    .select<{ payment_id: string }[]>('p.payment_id');
}

export function overdueWebhooks(db: Database, before: Date, now: Date) {
  return db('outbox as o')
    .join('payments as p', 'p.payment_id', 'o.payment_id')
    .where('o.state', 'pending')
    .where('o.next_at', '<', before)
    .whereRaw(...hasRested('o.next_at', now))
    .orderBy('o.next_at')
    .limit(batch)
    .select<{ payment_id: string }[]>('p.payment_id');
}

/** Nobody counts these wakes: a rest is half as long as it has been due, so that each is twice as long as the last. */
function hasRested(
  dueAt: 'i.received_at' | 'i.follow_at' | 'o.next_at',
  now: Date,
): [string, (Date | number)[]] {
  const restUs = `LEAST(?, GREATEST(?, TIMESTAMPDIFF(MICROSECOND, ${dueAt}, ?) DIV 2))`;
  return [
    `(p.woken_at IS NULL OR p.woken_at < ? - INTERVAL ${restUs} MICROSECOND)`,
    [now, rest.longestMs * 1_000, rest.firstMs * 1_000, now],
  ];
}

function idsOf(payments: { payment_id: string }[]): string[] {
  return [...new Set(payments.map(({ payment_id: id }) => id))];
}
