import type { Database } from '../store/database';
import type { PaymentRow } from '../store/tables';
import type { PaymentsContext } from './context';
import type { Engine } from './engine';
import { matchParked } from './match-parked';
import { giveUp } from './withdraw';

/** The ages, in milliseconds, at which unfinished work is picked up by somebody else. */
export interface SweeperAges {
  /** A row without a workflow is started. */
  startAfterMs: number;
  /** A row that still has none is ended: the merchant must not wait for it. */
  giveUpAfterMs: number;
  /** An unread notification is nudged again. */
  noticeAfterMs: number;
  /** A webhook that is overdue is handed to its workflow again. */
  webhookOverdueMs: number;
  /** An open payment nothing happened to is looked at. */
  quietAfterMs: number;
}

export const sweeperAges: SweeperAges = {
  startAfterMs: 2_000,
  giveUpAfterMs: 60_000,
  noticeAfterMs: 5_000,
  webhookOverdueMs: 60_000,
  quietAfterMs: 600_000,
};

const batch = 100;
/** How long a payment that was woken is left alone, so that one that cannot move is not asked about all the time. */
const restMs = 60_000;
/** One that has been quiet for long is woken ever more rarely: an unclaimed payout waits for a month. */
const quietRestMs = ({ updated_at: since }: PaymentRow) => (Date.now() - since.getTime()) / 10;
const remembersMs = 4 * 86_400_000;

/**
 * Finishes what a lost process, signal or engine left behind. Every step is safe to run twice and by several
 * processes at once, because waking a payment only makes its workflow look.
 */
export function createSweeper(context: PaymentsContext, engine: Engine, ages: SweeperAges = sweeperAges) {
  const wokenAt = new Map<string, number>();

  const msSinceWoken = ({ payment_id: id }: PaymentRow) => Date.now() - (wokenAt.get(id) ?? 0);
  /** How far this round of looking at all quiet payments has come. */
  let lastQuiet: PaymentRow | undefined;

  async function quietOnes(before: Date): Promise<PaymentRow[]> {
    const found = await quiet(context.db, before, lastQuiet);
    lastQuiet = found.length < batch ? undefined : found.at(-1);
    return found.filter((payment) => msSinceWoken(payment) > quietRestMs(payment));
  }

  async function wake(payments: PaymentRow[]): Promise<number> {
    const rested = payments.filter((payment) => msSinceWoken(payment) > restMs);
    for (const payment of rested) {
      wokenAt.set(payment.payment_id, Date.now());
      await engine.wake(payment);
    }
    for (const [id, at] of wokenAt) if (Date.now() - at > remembersMs) wokenAt.delete(id);
    return rested.length;
  }

  return {
    /** One round. @returns how many payments were woken or ended. */
    async sweep(): Promise<number> {
      const ago = (ms: number) => new Date(Date.now() - ms);
      const given = await neverStarted(context.db, ago(ages.giveUpAfterMs));
      for (const payment of given) await giveUp(context, payment);
      await matchParked(context);
      const late = [
        ...given,
        ...(await notStarted(context.db, ago(ages.startAfterMs), ago(ages.giveUpAfterMs))),
        ...(await waitingRefunds(context.db, ago(ages.startAfterMs))),
        ...(await withUnreadNotices(context.db, ago(ages.noticeAfterMs))),
        ...(await withOverdueWebhooks(context.db, ago(ages.webhookOverdueMs))),
        ...(await quietOnes(ago(ages.quietAfterMs))),
      ];
      return wake([...new Map(late.map((payment) => [payment.payment_id, payment])).values()]);
    },
  };
}

/** Every payment that is not finished, or that still owes its merchant a webhook: what `malipo resume` takes up. */
export async function unfinishedPayments(db: Database): Promise<PaymentRow[]> {
  const open = await db('payments').where({ is_final: 0 });
  const owing = await db('payments').whereIn('payment_id', pendingWebhooks(db).select('payment_id'));
  return [...new Map([...open, ...owing].map((payment) => [payment.payment_id, payment])).values()];
}

function pendingWebhooks(db: Database) {
  return db('outbox').where({ state: 'pending' });
}

/** A refund was answered when it was written, and may wait long for its turn: only its provider ends it. */
function waitingRefunds(db: Database, before: Date): Promise<PaymentRow[]> {
  return db('payments')
    .where({ is_final: 0, state: 'received', kind: 'refund' })
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(batch);
}

function neverStarted(db: Database, before: Date): Promise<PaymentRow[]> {
  return db('payments')
    .where({ is_final: 0, state: 'received' })
    .whereNot({ kind: 'refund' })
    .where('updated_at', '<', before)
    .limit(batch);
}

function notStarted(db: Database, before: Date, after: Date): Promise<PaymentRow[]> {
  return db('payments')
    .where({ is_final: 0, state: 'received' })
    .whereNot({ kind: 'refund' })
    .where('updated_at', '<', before)
    .where('updated_at', '>=', after)
    .limit(batch);
}

function withUnreadNotices(db: Database, before: Date): Promise<PaymentRow[]> {
  const unread = db('inbox')
    .where({ state: 'new' })
    .whereNull('processed_at')
    .where('received_at', '<', before)
    .whereNotNull('payment_id')
    .orderBy('received_at')
    .limit(batch)
    .select('payment_id')
    .as('unread');
  return db('payments').whereIn('payment_id', db.select('payment_id').from(unread));
}

function withOverdueWebhooks(db: Database, before: Date): Promise<PaymentRow[]> {
  const overdue = pendingWebhooks(db)
    .where('next_at', '<', before)
    .orderBy('next_at')
    .limit(batch)
    .select('payment_id');
  return db('payments').whereIn('payment_id', db.select('payment_id').from(overdue.as('overdue')));
}

function quiet(db: Database, before: Date, after: PaymentRow | undefined): Promise<PaymentRow[]> {
  const query = db('payments')
    .where({ is_final: 0 })
    .whereNot({ state: 'received' })
    .where('updated_at', '<', before)
    .orderBy(['updated_at', 'payment_id'])
    .limit(batch);
  if (!after) return query;
  const { updated_at: at, payment_id: id } = after;
  return query.where((later) => {
    void later.where('updated_at', '>', at).orWhere((same) => {
      void same.where({ updated_at: at }).where('payment_id', '>', id);
    });
  });
}
