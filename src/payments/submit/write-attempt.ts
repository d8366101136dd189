/** An instruction is written down before it is sent: whoever finds it without an answer knows that it may have been. */
import type { PaymentsContext } from '../../rail-kit/context';
import type { Transaction } from '../../store/database';
import type { AttemptRow, PaymentRow } from '../../store/tables';
import { duplicateKeyOf, inTransaction } from '../../store/transaction';
import { movePayment } from '../transition/transition';
import { obstacleNow, type Obstacle } from './stopped-accounts';

/** What attempts to instruct a provider are called among those of a payment. */
export const instructing = 'initiate';

export interface Attempt {
  kind: 'attempt';
  n: number;
  writtenAt: Date;
  /** Whether it was found without an answer; else this call wrote it. */
  isFound: boolean;
  /** Which change of its payment it belongs to: the answer moves on from there. */
  sequence: number;
}

/** Nothing was written. */
export interface HeldBack {
  kind: 'held_back';
  /** Absent where it was told before that nothing may be sent. */
  obstacle?: Obstacle | undefined;
  /** Whether an attempt without an answer was found, which may have been sent. */
  isFound: boolean;
}

/**
 * The row of an attempt that is about to be sent.
 * @param known `key`: what the provider is to know it by, where that is not the payment's id.
 */
export function sentAttempt(
  paymentId: string,
  operation: string,
  n: number,
  { key = paymentId, at = new Date() }: { key?: string; at?: Date } = {},
): AttemptRow {
  return {
    payment_id: paymentId,
    n,
    operation,
    provider_key: key,
    state: 'sent',
    code: null,
    detail: null,
    sent_at: at,
    answered_at: null,
  };
}

/**
 * Writes down that a payment is about to be sent, if it may be: what holds it back is asked in this very transaction.
 * @param isStopped whether nothing new may be sent through its account: then nothing is written.
 * @param isLate whether it is not to be sent any more: nothing is written either, and what holds it back is told.
 * @returns 'moved_meanwhile' where the payment has to be read anew.
 */
export async function writeAttempt(
  context: PaymentsContext,
  payment: PaymentRow,
  { isStopped, isLate, own }: { isStopped: boolean; isLate: boolean; own: OwnAttempts },
): Promise<Attempt | 'moved_meanwhile' | 'not_its_turn' | HeldBack> {
  try {
    return await inTransaction(context.db, async (trx) => {
      // The first attempt is written in the very transaction that leaves `received`, so there none has to be looked for.
      const isFirst = payment.state === 'received';
      if (isFirst && isStopped) return { kind: 'held_back', isFound: false };
      // Before anything is locked that somebody may hold who waits for the same.
      const obstacle = await obstacleNow(trx, payment);
      if (isFirst && (obstacle ?? isLate)) return { kind: 'held_back', obstacle, isFound: false };
      if (await waitsForSibling(trx, payment)) return 'not_its_turn';
      // The payment was read before its attempts: another worker's answer may lie in between.
      if (!isFirst && !(await stillInitiating(trx, payment.payment_id))) return 'moved_meanwhile';
      const last = isFirst ? undefined : await lastInstruction(trx, payment.payment_id);
      if (last?.state === 'sent') {
        // To look for it may be to send it again.
        if (obstacle) return { kind: 'held_back', obstacle, isFound: true };
        const { sequence } = payment;
        return { kind: 'attempt', n: last.n, writtenAt: last.sent_at, isFound: true, sequence };
      }
      if (isStopped || isLate || obstacle) return { kind: 'held_back', obstacle, isFound: false };
      const moved = isFirst
        ? await movePayment(trx, context, payment, { to: 'initiating', cause: 'attempt' })
        : { payment };
      if (!moved) return 'moved_meanwhile';
      const { sequence } = moved.payment;
      const n = (last?.n ?? 0) + 1;
      const attempt: Attempt = { kind: 'attempt', n, writtenAt: new Date(), isFound: false, sequence };
      // Noted first: it may be there although nobody is told that its commit has succeeded.
      own.add(payment.payment_id, attempt);
      await trx('attempts').insert(
        sentAttempt(payment.payment_id, instructing, n, { at: attempt.writtenAt }),
      );
      return attempt;
    });
  } catch (error) {
    if (duplicateKeyOf(error) !== undefined) return 'moved_meanwhile';
    throw error;
  }
}

/** Locks the payment, so that nobody answers or writes an attempt of it meanwhile. */
export async function stillInitiating(trx: Transaction, paymentId: string): Promise<boolean> {
  const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first('state');
  return payment?.state === 'initiating';
}

export async function lastInstruction(
  trx: Transaction,
  paymentId: string,
): Promise<Pick<AttemptRow, 'n' | 'state' | 'sent_at'> | undefined> {
  return trx('attempts')
    .where({ payment_id: paymentId, operation: instructing })
    .orderBy('n', 'desc')
    .first('n', 'state', 'sent_at');
}

/** The provider takes one refund of a deposit at a time: the others wait, oldest first. */
async function waitsForSibling(trx: Transaction, payment: PaymentRow): Promise<boolean> {
  if (payment.parent_id === null || payment.state !== 'received') return false;
  await trx('payments').where({ payment_id: payment.parent_id }).forUpdate().first('payment_id');
  const ahead = await trx('payments')
    .where({ parent_id: payment.parent_id, kind: payment.kind })
    .whereNot({ payment_id: payment.payment_id })
    .where((sibling) => {
      void sibling.whereIn('state', ['initiating', 'pending', 'queued', 'processing']).orWhere((older) => {
        void older.where({ state: 'received' }).where('created_at', '<', payment.created_at);
      });
    })
    .first('payment_id');
  return ahead !== undefined;
}

/**
 * The attempts that this process has written down. One of them that is found without an answer is lost for certain,
 * because a process has one call for a payment under way at a time; another process's may still be on its way.
 */
export interface OwnAttempts {
  add(paymentId: string, attempt: Pick<Attempt, 'n' | 'writtenAt'>): void;
  has(paymentId: string, attempt: Pick<Attempt, 'n' | 'writtenAt'>): boolean;
}

/** One that is forgotten is only looked up later. */
const knownMax = 10_000;

export function ownAttempts(): OwnAttempts {
  const known = new Set<string>();
  const nameOf = (paymentId: string, { n, writtenAt }: Pick<Attempt, 'n' | 'writtenAt'>) =>
    [paymentId, n, writtenAt.getTime()].join(' ');
  return {
    add(paymentId, attempt) {
      known.add(nameOf(paymentId, attempt));
      const [oldest = ''] = known;
      if (known.size > knownMax) known.delete(oldest);
    },
    has: (paymentId, attempt) => known.has(nameOf(paymentId, attempt)),
  };
}

/** What a provider usually needs to answer an instruction, and more. */
const enoughMs = 5_000;

/**
 * The milliseconds that must be left of a call when its instruction is sent. One that is cut short may have had its
 * effect, and left no reference to ask by; one that is not sent can be sent again.
 * @param timeoutMs of the whole call, a token and whatever else goes before the instruction.
 */
export function instructionLeastMs(timeoutMs: number): number {
  return Math.min(enoughMs, timeoutMs / 3);
}
