import { openCase } from '../../controls/cases';
import { inParallel } from '../../domain/in-parallel';
import { settledStates } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import type { Database, Transaction } from '../../store/database';
import { inChunks } from '../../store/in-chunks';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { giveUp } from '../create/create-payment';
import { msSince } from '../read/payment-clock';
import { matchParked } from '../resolve/inbox';
import { isPatient } from '../submit/put-on-hold';
import { askPersonWhenLate } from '../submit/submit-payment';
import { backlogAgeMs } from './backlog';
import { releaseChecks, batchOf, claimChecks, rest, type Claimed, type CheckedRow } from './claim-checks';

/** The ages, in milliseconds, at which the sweeper picks up unfinished work. */
export interface SweeperAges {
  /** A payment without a workflow is ended at this age: the merchant must not wait for it. */
  giveUpAfterMs: number;
  /** A payment with an unread notification is signalled again at this age. */
  eventAfterMs: number;
  /** An overdue webhook is handed to its workflow again at this age. */
  webhookOverdueMs: number;
}

export const sweeperAges: SweeperAges = {
  giveUpAfterMs: 60_000,
  eventAfterMs: 5_000,
  webhookOverdueMs: 60_000,
};

/** Work that waits this long shows that the workers have more work than they can do. */
export const behindMs = 5_000;
/** The time of one run for the overdue checks of all rails. The next run comes soon. */
const budgetMs = 2_000;

/** Ends the payment, or opens a case, where a signal alone does not help. */
export async function beforeSignal(
  context: PaymentsContext,
  payment: PaymentRow,
  { giveUpAfterMs }: Pick<SweeperAges, 'giveUpAfterMs'> = sweeperAges,
): Promise<void> {
  const { state, kind } = payment;
  const ageMs = msSince(payment, payment.created_at);
  // A merchant who requested many payouts was answered before any was started, and relies on each. A payout that was
  // on hold continues.
  const goesOn = kind === 'refund' || isPatient(payment);
  if (state === 'received' && !goesOn && ageMs > giveUpAfterMs) {
    await giveUp(context, payment);
  } else if (state === 'received' && kind === 'refund') {
    await askPersonWhenLate(context.db, payment);
  } else if (isStuck(payment)) {
    await openCaseOfStuck(context.db, payment);
  }
}

/**
 * Finishes work after a lost process, signal or engine, from the database alone. An index finds due work, and a claim
 * in its row lets several processes share it; the sweeper keeps no state. Every step is safe to run twice, because a
 * signal only makes the workflow check its payment.
 */
export function createSweeper(context: PaymentsContext, engine: Engine, ages: SweeperAges = sweeperAges) {
  async function signalOrStart(payment: PaymentRow): Promise<void> {
    await beforeSignal(context, payment, ages);
    await engine.signalOrStart(payment, 'recovery');
  }

  const ago = (ms: number) => new Date(Date.now() - ms);
  const { db } = context;
  const rails = context.rails.all.map(({ name }) => name);
  const overdueOf = (rail: string, isBehind: boolean): SweepJob<PaymentRow & Claimed> => ({
    claim: () => claimOverdueChecks(db, rail, { isBehind }),
    signalOrStart,
    release: (_db, payments) => releaseChecks(db, 'payments', payments),
  });
  const recurringJobs: SweepJob<PaymentRow>[] = [
    { claim: () => claimUnreadEvents(db, ago(ages.eventAfterMs)), signalOrStart, release: releaseRested },
    {
      claim: () => claimOverdueWebhooks(db, ago(ages.webhookOverdueMs)),
      signalOrStart,
      release: releaseRested,
    },
  ];

  return {
    /**
     * One run. A failure blocks no other work.
     * @returns how many payments were signalled.
     * @throws the first failure, after the whole run.
     */
    async sweep(): Promise<number> {
      await matchParked(context);
      const isBehind = (await backlogAgeMs(db)) > behindMs;
      const due = await railsWithDueChecks(db, rails, { isFinal: false });
      const round = [
        ...due.map((rail) => () => runJob(db, overdueOf(rail, isBehind), budgetMs / rails.length)),
        ...recurringJobs.map((job) => () => runJob(db, job)),
      ];
      let signalled = 0;
      const failures: unknown[] = [];
      for (const part of round) {
        try {
          signalled += await part();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return signalled;
    },
  };
}

/**
 * The ids that `malipo resume` picks up: every payment that is not final, or is final and still watched by its
 * workflow, or still owes its merchant a webhook. Only late-checks.ts checks paid payments. Ids only, because there
 * may be very many.
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

/** A few payments at a time, each read when its turn comes. */
export async function* inPages(db: Database, paymentIds: readonly string[]): AsyncGenerator<PaymentRow[]> {
  for (const ids of inChunks(paymentIds)) yield await db('payments').whereIn('payment_id', ids);
}

// The sweeper's searches. A claim in the payment's row hides it from other workers and from the next run until its
// rest is over. Each search uses an index whose first rows are the due ones.

const batch = batchOf({ isBehind: false });

/** How many late checks are claimed at once, and how long they rest at first: far longer than a poll takes. */
const later = { batch: 50, firstMs: 120_000 };

/** The rails with a due late check. Most runs find none, and need no transaction to know that. */
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

/** Open payments of a rail with an overdue check: their workflow was lost, makes no progress, or was never started. */
export function claimOverdueChecks(
  db: Database,
  rail: string,
  { isBehind }: { isBehind: boolean },
): Promise<(PaymentRow & Claimed)[]> {
  const which = { rail, isFinal: false, limit: batchOf({ isBehind }) };
  return claimChecks(db, 'payments', (trx, now) => dueChecks(trx, now, which).forUpdate().skipLocked());
}

/** Final payments of a rail whose late check is due. */
export async function claimLateChecks(db: Database, rail: string): Promise<(PaymentRow & Claimed)[]> {
  if ((await railsWithDueChecks(db, [rail], { isFinal: true })).length === 0) return [];
  const which = { rail, isFinal: true, limit: later.batch };
  const find = (trx: Transaction, now: Date) => dueChecks(trx, now, which).forUpdate().skipLocked();
  return claimChecks(db, 'payments', find, later.firstMs);
}

/** Payments whose inbox has notifications that were not read since `before`. */
export function claimUnreadEvents(db: Database, before: Date): Promise<PaymentRow[]> {
  return claimRested(db, async (now) => [
    ...(await unreadEvents(db, before, now)),
    ...(await unreadUnverifiedEvents(db, before, now)),
  ]);
}

/** Payments that owe their merchant a webhook that was due before `before`. */
function claimOverdueWebhooks(db: Database, before: Date): Promise<PaymentRow[]> {
  return claimRested(db, (now) => overdueWebhooks(db, before, now));
}

/** Releases the claims for a notification or a webhook; the planned check stays as it is. */
async function releaseRested(db: Database, payments: PaymentRow[]): Promise<void> {
  await db('payments').whereIn('payment_id', idsOf(payments)).update({ signalled_at: null });
}

async function claimRested(
  db: Database,
  find: (now: Date) => Promise<{ payment_id: string }[]>,
): Promise<PaymentRow[]> {
  const now = Date.now();
  // Of several processes that found it, one may have signalled it a moment ago.
  const rested = new Date(now - rest.firstMs);
  const found = idsOf(await find(new Date(now)));
  if (found.length === 0) return [];
  return inTransaction(db, async (trx) => {
    const free = await trx('payments')
      .whereIn('payment_id', found)
      .where((payment) => void payment.whereNull('signalled_at').orWhere('signalled_at', '<', rested))
      .forUpdate()
      .skipLocked();
    await trx('payments')
      .whereIn('payment_id', idsOf(free))
      .update({ signalled_at: new Date(now) });
    return free;
  });
}

export interface Due {
  rail: string;
  isFinal: boolean;
  limit: number;
}

/** Exported, as the other three are, for the test that inspects the database's query plan. */
export function dueChecks(db: Database | Transaction, now: Date, { rail, isFinal, limit }: Due) {
  return db('payments')
    .where({ is_final: isFinal ? 1 : 0, rail })
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit);
}

export function unreadEvents(db: Database, before: Date, now: Date) {
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

/** Unverified events whose planned time has passed. */
export function unreadUnverifiedEvents(db: Database | Transaction, before: Date, now: Date) {
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

/**
 * These signals are not counted. A rest is half as long as the row has been due, so each is twice as long as the
 * last.
 */
function hasRested(
  dueAt: 'i.received_at' | 'i.follow_at' | 'o.next_at',
  now: Date,
): [string, (Date | number)[]] {
  const restUs = `LEAST(?, GREATEST(?, TIMESTAMPDIFF(MICROSECOND, ${dueAt}, ?) DIV 2))`;
  return [
    `(p.signalled_at IS NULL OR p.signalled_at < ? - INTERVAL ${restUs} MICROSECOND)`,
    [now, rest.longestMs * 1_000, rest.firstMs * 1_000, now],
  ];
}

function idsOf(payments: { payment_id: string }[]): string[] {
  return [...new Set(payments.map(({ payment_id: id }) => id))];
}

/**
 * How late the most overdue check of an open payment is. Workers claim due checks within seconds and move the next
 * check ahead, so a growing number shows that no worker makes progress. Final payments do not count.
 * @returns milliseconds; 0 where nothing is late.
 */
export async function overdueMs({ db, rails }: Pick<PaymentsContext, 'db' | 'rails'>): Promise<number> {
  // One index jump for each rail, however many payments are open.
  const rows: { rail: string; first: Date | null }[] = await db('payments')
    .where({ is_final: 0 })
    .groupBy('is_final', 'rail')
    .select('rail')
    .min({ first: 'next_check_at' });
  // A rail that is no longer served has no workers.
  const served = rows.filter(({ rail }) => rails.all.some(({ name }) => name === rail));
  return Math.max(0, ...served.map(({ first }) => (first ? Date.now() - first.getTime() : 0)));
}

/** The limits of one run: the next one comes soon, and other workers sweep too. */
const round = { atOnce: 10, budgetMs: 2_000 };

/** One recovery job: the rows it claims, and how it releases the rows that it had no time for. */
interface SweepJob<Row> {
  claim(): Promise<Row[]>;
  signalOrStart(row: Row): Promise<void>;
  release(db: Database, rows: Row[]): Promise<void>;
}

/**
 * A row that cannot be signalled blocks no other: it is released, and the job continues.
 * @param withinMs no row is started after this time.
 * @returns how many were signalled.
 * @throws the first failed signal's error, after all rows without a signal were released.
 */
export async function runJob<Row>(
  db: Database,
  { claim, signalOrStart, release }: SweepJob<Row>,
  withinMs: number = round.budgetMs,
): Promise<number> {
  const rows = await claim();
  const until = Date.now() + withinMs;
  const failed: { row: Row; why: unknown }[] = [];
  const { done, left } = await inParallel(rows, round.atOnce, async (row) => {
    if (Date.now() > until) return 'stop';
    await signalOrStart(row).catch((why: unknown) => failed.push({ row, why }));
    return 'go_on';
  });
  const back = [...left, ...failed.map(({ row }) => row)];
  if (back.length > 0) await release(db, back);
  if (failed[0]) throw failed[0].why;
  return done.length;
}

/**
 * After so many claims without a check, an operator gets a case: for an open payment after about three and a half
 * hours.
 */
export const signalsMax = 13;

export function isStuck({ signals }: Pick<CheckedRow, 'signals'>): boolean {
  return signals >= signalsMax;
}

export async function openCaseOfStuck(db: Database, payment: PaymentRow): Promise<void> {
  const detail = `woken ${String(payment.signals)} times without effect`;
  await openCase(db, payment.payment_id, { reason: 'stands_still', detail });
}
