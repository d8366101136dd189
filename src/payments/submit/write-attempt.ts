/**
 * A submission is written before it is sent: a process that finds it without an answer knows that it may have been
 * sent.
 */
import type { SubmissionResult } from '../../domain/outcome';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Transaction } from '../../store/database';
import type { AttemptRow, PaymentRow } from '../../store/tables';
import { duplicateKeyOf, inTransaction } from '../../store/transaction';
import { applyTransition } from '../transition/transition';
import { obstacleNow, type Obstacle } from './stopped-accounts';

/** The operation name of a payment's submission attempts. */
export const instructing = 'initiate';

export interface Attempt {
  kind: 'attempt';
  n: number;
  writtenAt: Date;
  /** True when the attempt was found without an answer; otherwise this call wrote it. */
  isFound: boolean;
  /** The payment's sequence number at the attempt. The answer's transition follows it. */
  sequence: number;
}

/** Nothing was written. */
export interface OnHold {
  kind: 'on_hold';
  /** Absent where the caller already knew that nothing may be sent. */
  obstacle?: Obstacle | undefined;
  /** Whether an attempt without an answer was found, which may have been sent. */
  isFound: boolean;
}

/**
 * The row of an attempt that will be sent.
 * @param known `key`: the provider's key for it, where that is not the payment's id.
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
 * Writes the attempt to send a payment, if it may be sent. The gate is asked in this very transaction.
 * @param isStopped whether new submissions through its account are stopped: then nothing is written.
 * @param isLate whether it is too late to send it: nothing is written either, and the hold is reported.
 * @returns 'moved_meanwhile' where the payment must be read again.
 */
export async function writeAttempt(
  context: PaymentsContext,
  payment: PaymentRow,
  { isStopped, isLate, own }: { isStopped: boolean; isLate: boolean; own: OwnAttempts },
): Promise<Attempt | 'moved_meanwhile' | 'not_its_turn' | OnHold> {
  try {
    return await inTransaction(context.db, async (trx) => {
      // The transaction that leaves `received` writes the first attempt, so an earlier one cannot exist.
      const isFirst = payment.state === 'received';
      if (isFirst && isStopped) return { kind: 'on_hold', isFound: false };
      // Before any lock that another transaction may hold while it waits for the gate.
      const obstacle = await obstacleNow(trx, payment);
      if (isFirst && (obstacle ?? isLate)) return { kind: 'on_hold', obstacle, isFound: false };
      if (await waitsForSibling(trx, payment)) return 'not_its_turn';
      // The payment was read before its attempts: another worker's answer may have come in between.
      if (!isFirst && !(await stillInitiating(trx, payment.payment_id))) return 'moved_meanwhile';
      const last = isFirst ? undefined : await lastSubmission(trx, payment.payment_id);
      if (last?.state === 'sent') {
        // A lookup may send the submission again.
        if (obstacle) return { kind: 'on_hold', obstacle, isFound: true };
        const { sequence } = payment;
        return { kind: 'attempt', n: last.n, writtenAt: last.sent_at, isFound: true, sequence };
      }
      if (isStopped || isLate || obstacle) return { kind: 'on_hold', obstacle, isFound: false };
      const moved = isFirst
        ? await applyTransition(trx, context, payment, { to: 'initiating', cause: 'attempt' })
        : { payment };
      if (!moved) return 'moved_meanwhile';
      const { sequence } = moved.payment;
      const n = (last?.n ?? 0) + 1;
      const attempt: Attempt = { kind: 'attempt', n, writtenAt: new Date(), isFound: false, sequence };
      // Remembered first: the attempt may exist even when the answer to its COMMIT is lost.
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

/** Locks the payment, so that no other process writes an answer or an attempt for it. */
export async function stillInitiating(trx: Transaction, paymentId: string): Promise<boolean> {
  const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first('state');
  return payment?.state === 'initiating';
}

export async function lastSubmission(
  trx: Transaction,
  paymentId: string,
): Promise<Pick<AttemptRow, 'n' | 'state' | 'sent_at'> | undefined> {
  return trx('attempts')
    .where({ payment_id: paymentId, operation: instructing })
    .orderBy('n', 'desc')
    .first('n', 'state', 'sent_at');
}

/** The provider accepts one refund of a deposit at a time: the others wait, oldest first. */
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

type Written = Pick<Attempt, 'n' | 'writtenAt'>;

/**
 * The attempts that this process has written. If one of them is found without an answer, no call of it is under way,
 * because a process makes one call per payment at a time. Another process's attempt may still be under way.
 */
export interface OwnAttempts {
  add(paymentId: string, attempt: Written): void;
  has(paymentId: string, attempt: Written): boolean;
  /** Remembers what the provider answered, before it is stored: the database may be away. */
  answered(paymentId: string, attempt: Written, answer: SubmissionResult): void;
  /** The provider's answer to an attempt, if this process received one. */
  answerTo(paymentId: string, attempt: Written): SubmissionResult | undefined;
}

/** A forgotten attempt is only looked up later. */
const knownMax = 10_000;

export function ownAttempts(): OwnAttempts {
  const known = new Map<string, SubmissionResult | undefined>();
  const nameOf = (paymentId: string, { n, writtenAt }: Written) =>
    [paymentId, n, writtenAt.getTime()].join(' ');
  const keep = (name: string, answer?: SubmissionResult) => {
    known.set(name, answer);
    const [oldest = ''] = known.keys();
    if (known.size > knownMax) known.delete(oldest);
  };
  return {
    add(paymentId, attempt) {
      keep(nameOf(paymentId, attempt));
    },
    has: (paymentId, attempt) => known.has(nameOf(paymentId, attempt)),
    answered(paymentId, attempt, answer) {
      keep(nameOf(paymentId, attempt), answer);
    },
    answerTo: (paymentId, attempt) => known.get(nameOf(paymentId, attempt)),
  };
}

/** More time than a provider usually needs to answer a submission. */
const enoughMs = 5_000;

/**
 * The least time of a call that must be left when its submission is sent, in milliseconds. A submission that is cut
 * short may have had its effect without a reference to poll by. One that was not sent can be sent again.
 * @param timeoutMs of the whole call, including a token request and other calls before the submission.
 */
export function submissionLeastMs(timeoutMs: number): number {
  return Math.min(enoughMs, timeoutMs / 3);
}
