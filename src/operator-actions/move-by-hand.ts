/** A payment that a person moves: the one way in which it is booked and told, whatever the person has decided about. */
import { duplicateKeyOf, inTransaction } from '../store/transaction';
import type { Transaction } from '../store/database';
import type { PaymentRow } from '../store/tables';
import {
  contestedAccounts,
  holdAfterClosing,
  lockAccounts,
  lockContested,
} from '../payments/transition/contested';
import { creditColumns, creditFor, recordCredit, type Credit } from '../payments/transition/credit';
import { movePayment, prepareMove, type Move } from '../payments/transition/move-payment';
import type { PaymentsContext } from '../rail-kit/context';
import { ActionError } from './errors';

export interface ByHand {
  move: Move;
  /** Why what was reported meanwhile is asked about no more. */
  decided: string;
  /** Runs it in one transaction; its own where nothing else has to be locked before. */
  within?: (work: (trx: Transaction) => Promise<PaymentRow>) => Promise<PaymentRow>;
  /** What it goes through before, in the same transaction. @returns the payment as it is then. */
  first?: (trx: Transaction) => Promise<PaymentRow>;
  /** What is written with it, done once it is certain that the payment moves. */
  besides(trx: Transaction): Promise<void>;
  /** Runs as the last of the transaction. */
  last?: (trx: Transaction) => Promise<void>;
}

/** @throws ActionError when somebody has moved it meanwhile, or there is no rate to book it at. */
export async function moveByHand(
  context: PaymentsContext,
  payment: PaymentRow,
  { move, decided, first, besides, last, within = (work) => inTransaction(context.db, work) }: ByHand,
): Promise<PaymentRow> {
  const credit = await creditOf(context, payment, move);
  await prepareMove(context.db, payment, move.to);
  const contested = await contestedAccounts(context.db, payment);
  return within(async (trx) => {
    if (contested) await lockContested(trx, contested);
    const changes = { ...move.changes, ...(credit && creditColumns(credit)) };
    const now = first ? await first(trx) : payment;
    const moved = await movePayment(trx, context, now, { ...move, changes }, async () => {
      if (credit) await recordCredit(trx, payment.payment_id, credit);
      await besides(trx);
      // What was reported is decided upon with it: nothing is left for the workflow to ask about.
      await trx('inbox')
        .where({ payment_id: payment.payment_id, state: 'new' })
        .update({ state: 'ignored', reason: decided, processed_at: new Date() });
      if (contested) await lockAccounts(trx, contested);
    });
    if (!moved) throw new ActionError('The payment has moved meanwhile; look at it again before deciding.');
    if (contested) await holdAfterClosing(trx, contested);
    await last?.(trx);
    return moved.payment;
  }).catch((error: unknown) => {
    // Somebody has given it to another payment since it was looked for.
    const key = duplicateKeyOf(error);
    if (key !== 'one_provider_reference' && key !== 'one_receipt') throw error;
    const { provider_reference: reference, provider_receipt: receipt } = move.changes ?? {};
    throw new ActionError(`${reference ?? receipt ?? ''} is another payment's.`);
  });
}

/** What is booked by a person is converted as what is booked by itself. */
async function creditOf(
  { db }: PaymentsContext,
  payment: PaymentRow,
  { to, changes }: Move,
): Promise<Credit | undefined> {
  if (to !== 'succeeded' || payment.kind !== 'deposit') return undefined;
  const confirmed = BigInt(changes?.confirmed_minor ?? payment.confirmed_minor ?? 0);
  const credit = await creditFor(db, payment, confirmed);
  if (credit === 'no_rate') {
    throw new ActionError(
      `There is no fresh rate ${payment.instructed_currency} to ${payment.credited_currency ?? ''}; nothing was done.`,
    );
  }
  return credit === 'same_currency' ? undefined : credit;
}
