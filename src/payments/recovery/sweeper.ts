import { settledStates } from '../../domain/payment';
import type { Database } from '../../store/database';
import { inChunks } from '../../store/in-chunks';
import type { PaymentRow } from '../../store/tables';
import { backlogAgeMs } from './backlog';
import { doChore, type Chore } from './chore';
import { releaseLooks, type Claimed } from './claim-looks';
import { askPersonWhyItStands, standsStill } from './stands-still';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import { isPatient } from '../submit/held-back';
import { matchParked } from '../resolve/match-parked';
import { msSince } from '../read/payment-clock';
import { askPersonWhenLate } from '../submit/refund-turn';
import {
  claimOverdueLooks,
  claimOverdueWebhooks,
  claimUnreadNotices,
  railsWithDueLooks,
  releaseRested,
} from './sweeper-claims';
import { giveUp } from '../create/withdraw';

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
    claim: () => claimOverdueLooks(db, rail, { isBehind }),
    wake,
    release: (_db, payments) => releaseLooks(db, 'payments', payments),
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
      const due = await railsWithDueLooks(db, rails, { isFinal: false });
      const round = [
        ...due.map((rail) => () => doChore(db, overdueOf(rail, isBehind), budgetMs / rails.length)),
        ...chores.map((chore) => () => doChore(db, chore)),
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
 * webhook: what `malipo resume` takes up. What was paid is looked at by nobody but later-looks.ts. Of each its id alone,
 * because there may be very many.
 */
export async function unfinishedIds({ db, rails }: Pick<PaymentsContext, 'db' | 'rails'>): Promise<string[]> {
  const names = rails.all.map(({ name }) => name);
  const found = await Promise.all([
    db('payments').where({ is_final: 0 }).select('payment_id'),
    db('payments')
      .where({ is_final: 1 })
      .whereIn('rail', names)
      .whereNotNull('next_look_at')
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
