import { openCase } from '../../controls/cases';
import { inParallel } from '../../domain/in-parallel';
import { settledStates } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import type { Database, Transaction } from '../../store/database';
import { inChunks } from '../../store/in-chunks';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { giveUp } from '../create/accept-payment';
import { msSince } from '../read/payment-clock';
import { matchParked } from '../resolve/inbox';
import { isPatient } from '../submit/put-on-hold';
import { askPersonWhenLate } from '../submit/initiate';
import { backlogAgeMs } from './backlog';
import { releaseChecks, batchOf, claimChecks, rest, type Claimed, type CheckedRow } from './claim-checks';

/** The ages, in milliseconds, at which unfinished work is picked up by somebody else. */
export interface SweeperAges {
  /** A payment that no workflow has begun is ended: the merchant must not wait for it. */
  giveUpAfterMs: number;
  /** An unread notification is nudged again. */
  noticeAfterMs: number;
  /** A webhook that is overdue is handed to its workflow again. */
  webhookOverdueMs: number;
}

export const sweeperAges: SweeperAges = {
  giveUpAfterMs: 60_000,
  noticeAfterMs: 5_000,
  webhookOverdueMs: 60_000,
};

/** Work that waits for so long says that the workers have more to do than they can. */
export const behindMs = 5_000;
/** In which all rails' overdue looks are woken of one round; it repeats soon. */
const budgetMs = 2_000;

/** Ends, or gives to a person, what waking alone does not help. */
export async function beforeWaking(
  context: PaymentsContext,
  payment: PaymentRow,
  { giveUpAfterMs }: Pick<SweeperAges, 'giveUpAfterMs'> = sweeperAges,
): Promise<void> {
  const { state, kind } = payment;
  const ageMs = msSince(payment, payment.created_at);
  // Whoever asked for many at once was answered before any was begun, and counts on each; a payout that was held back goes on.
  const goesOn = kind === 'refund' || isPatient(payment);
  if (state === 'received' && !goesOn && ageMs > giveUpAfterMs) {
    await giveUp(context, payment);
  } else if (state === 'received' && kind === 'refund') {
    await askPersonWhenLate(context.db, payment);
  } else if (standsStill(payment)) {
    await askPersonWhyItStands(context.db, payment);
  }
}

/**
 * Finishes what a lost process, signal or engine left behind, by the database's own word: what is due is found by
 * index, and claimed in its row, so that several processes share it and nothing is remembered here. Every step is safe
 * to run twice, because waking a payment only makes its workflow look.
 */
export function createSweeper(context: PaymentsContext, engine: Engine, ages: SweeperAges = sweeperAges) {
  async function wake(payment: PaymentRow): Promise<void> {
    await beforeWaking(context, payment, ages);
    await engine.wake(payment);
  }

  const ago = (ms: number) => new Date(Date.now() - ms);
  const { db } = context;
  const rails = context.rails.all.map(({ name }) => name);
  const overdueOf = (rail: string, isBehind: boolean): Chore<PaymentRow & Claimed> => ({
    claim: () => claimOverdueChecks(db, rail, { isBehind }),
    wake,
    release: (_db, payments) => releaseChecks(db, 'payments', payments),
  });
  const chores: Chore<PaymentRow>[] = [
    { claim: () => claimUnreadNotices(db, ago(ages.noticeAfterMs)), wake, release: releaseRested },
    { claim: () => claimOverdueWebhooks(db, ago(ages.webhookOverdueMs)), wake, release: releaseRested },
  ];

  return {
    /**
     * One round: what fails holds up nothing else.
     * @returns how many payments were woken.
     * @throws what failed first, when all of it is over.
     */
    async sweep(): Promise<number> {
      await matchParked(context);
      const isBehind = (await backlogAgeMs(db)) > behindMs;
      const due = await railsWithDueChecks(db, rails, { isFinal: false });
      const round = [
        ...due.map((rail) => () => runJob(db, overdueOf(rail, isBehind), budgetMs / rails.length)),
        ...chores.map((chore) => () => runJob(db, chore)),
      ];
      let woken = 0;
      const failures: unknown[] = [];
      for (const part of round) {
        try {
          woken += await part();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return woken;
    },
  };
}

/**
 * Every payment that is not finished, or is watched by its workflow though it ended, or still owes its merchant a
 * webhook: what `malipo resume` takes up. What was paid is looked at by nobody but late-checks.ts. Of each its id alone,
 * because there may be very many.
 */
export async function unfinishedIds({ db, rails }: Pick<PaymentsContext, 'db' | 'rails'>): Promise<string[]> {
  const names = rails.all.map(({ name }) => name);
  const found = await Promise.all([
    db('payments').where({ is_final: 0 }).select('payment_id'),
    db('payments')
      .where({ is_final: 1 })
      .whereIn('rail', names)
      .whereNotNull('next_check_at')
      .whereNotIn('state', settledStates)
      .select('payment_id'),
    db('outbox').where({ state: 'pending' }).select('payment_id'),
  ]);
  return [...new Set(found.flat().map(({ payment_id: id }) => id))];
}

/** A few payments at a time, as they are when it is their turn. */
export async function* inPages(db: Database, paymentIds: readonly string[]): AsyncGenerator<PaymentRow[]> {
  for (const ids of inChunks(paymentIds)) yield await db('payments').whereIn('payment_id', ids);
}

// What the sweeper finds due, claimed in the payment's row: another worker, or this one in its next round, finds it
// again only after a rest. Each search goes by an index whose first rows are the due ones.

const batch = batchOf({ isBehind: false });

/** As many looks at what has ended as are claimed at once, and for how long at first: far longer than a question takes. */
const later = { batch: 50, firstMs: 120_000 };

/** Of these rails those with a look that is due. Most rounds find none, and need no transaction to know that. */
async function railsWithDueChecks(
  db: Database,
  rails: readonly string[],
  { isFinal }: Pick<Due, 'isFinal'>,
): Promise<string[]> {
  const now = new Date();
  const firstOf = (rail: string) => dueChecks(db, now, { rail, isFinal, limit: 1 }).select('rail');
  const found = (await db.unionAll(rails.map(firstOf), true)) as { rail: string }[];
  return found.map(({ rail }) => rail);
}

/** Open payments of a rail whose next look is overdue: their workflow was lost, stands still, or was never begun. */
export function claimOverdueChecks(
  db: Database,
  rail: string,
  { isBehind }: { isBehind: boolean },
): Promise<(PaymentRow & Claimed)[]> {
  const which = { rail, isFinal: false, limit: batchOf({ isBehind }) };
  return claimChecks(db, 'payments', (trx, now) => dueChecks(trx, now, which).forUpdate().skipLocked());
}

/** Ended payments of a rail that are to be looked at now. */
export async function claimLateChecks(db: Database, rail: string): Promise<(PaymentRow & Claimed)[]> {
  if ((await railsWithDueChecks(db, [rail], { isFinal: true })).length === 0) return [];
  const which = { rail, isFinal: true, limit: later.batch };
  const find = (trx: Transaction, now: Date) => dueChecks(trx, now, which).forUpdate().skipLocked();
  return claimChecks(db, 'payments', find, later.firstMs);
}

/** Payments whose inbox holds news that nobody has read since `before`. */
export function claimUnreadNotices(db: Database, before: Date): Promise<PaymentRow[]> {
  return claimRested(db, async (now) => [
    ...(await unreadNotices(db, before, now)),
    ...(await unreadHints(db, before, now)),
  ]);
}

/** Payments that owe their merchant a webhook which was due before `before`. */
function claimOverdueWebhooks(db: Database, before: Date): Promise<PaymentRow[]> {
  return claimRested(db, (now) => overdueWebhooks(db, before, now));
}

/** Gives back what was claimed for its news or its webhook; what is known of its next look stays as it is. */
async function releaseRested(db: Database, payments: PaymentRow[]): Promise<void> {
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
export function dueChecks(db: Database | Transaction, now: Date, { rail, isFinal, limit }: Due) {
  return db('payments')
    .where({ is_final: isFinal ? 1 : 0, rail })
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
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

/**
 * How long the open payment that waits longest should have been looked at. Workers claim what is due within seconds, and
 * put its next look ahead: where this grows, none of them gets anything done. What has ended waits for nobody.
 * @returns milliseconds; 0 where nothing is late.
 */
export async function overdueMs({ db, rails }: Pick<PaymentsContext, 'db' | 'rails'>): Promise<number> {
  // One jump in the index for each rail, however many payments wait.
  const rows: { rail: string; first: Date | null }[] = await db('payments')
    .where({ is_final: 0 })
    .groupBy('is_final', 'rail')
    .select('rail')
    .min({ first: 'next_check_at' });
  // What is served no more is nobody's work.
  const served = rows.filter(({ rail }) => rails.all.some(({ name }) => name === rail));
  return Math.max(0, ...served.map(({ first }) => (first ? Date.now() - first.getTime() : 0)));
}

/** What one round may take: it repeats soon, and other workers sweep, too. */
const round = { atOnce: 10, budgetMs: 2_000 };

/** One reason to wake workflows: the rows it claims, and how what no time was left for is given back. */
interface Chore<Row> {
  claim(): Promise<Row[]>;
  wake(row: Row): Promise<void>;
  release(db: Database, rows: Row[]): Promise<void>;
}

/**
 * What cannot be woken holds up nobody else: it is given back, and the others are woken.
 * @param withinMs after so long no other row is begun.
 * @returns how many were woken.
 * @throws what waking one of them threw first, after all that were not woken were given back.
 */
export async function runJob<Row>(
  db: Database,
  { claim, wake, release }: Chore<Row>,
  withinMs: number = round.budgetMs,
): Promise<number> {
  const rows = await claim();
  const until = Date.now() + withinMs;
  const failed: { row: Row; why: unknown }[] = [];
  const { done, left } = await inParallel(rows, round.atOnce, async (row) => {
    if (Date.now() > until) return 'stop';
    await wake(row).catch((why: unknown) => failed.push({ row, why }));
    return 'go_on';
  });
  const back = [...left, ...failed.map(({ row }) => row)];
  if (back.length > 0) await release(db, back);
  if (failed[0]) throw failed[0].why;
  return done.length;
}

/** What was claimed so often for one look, which nobody took, is a person's question: an open payment after some three hours and a half. */
export const wakesMax = 13;

export function standsStill({ wakes }: Pick<CheckedRow, 'wakes'>): boolean {
  return wakes >= wakesMax;
}

export async function askPersonWhyItStands(db: Database, payment: PaymentRow): Promise<void> {
  const detail = `woken ${String(payment.wakes)} times in vain`;
  await openCase(db, payment.payment_id, { reason: 'stands_still', detail });
}
