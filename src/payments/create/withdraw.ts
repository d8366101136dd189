import { NOT_STARTED } from '../../domain/payment';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import type { PaymentsContext } from '../../rail-kit/context';
import { movePayment } from '../transition/move-payment';
import { wasNeverTaken } from '../read/refusals';
import { commitPatienceMs } from './write-payment';

/**
 * How a payment that was to be withdrawn stands.
 * - withdrawn: it ended, and no provider has heard of it.
 * - accepted: its merchant was told that it is under way, so that it goes on.
 * - begun: its workflow was faster.
 */
export type Withdrawal = 'withdrawn' | 'accepted' | 'begun';

const ending = {
  to: 'failed',
  changes: { failure_code: NOT_STARTED, result_text: 'The payment could not be started' },
} as const;

/**
 * Ends a payment that could not be handed over, unless that has happened all the same or its merchant was told
 * "accepted". What another try has left is read under the row's lock, so that a lost answer to it changes nothing.
 * @throws CommitUnknown, or another error of the database: then nobody knows whether the payment goes on.
 */
export function withdraw(
  context: PaymentsContext,
  { payment_id: paymentId }: PaymentRow,
): Promise<Withdrawal> {
  const decide = async (trx: Transaction): Promise<Withdrawal> => {
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
    if (!payment) throw new Error(`payment ${paymentId} does not exist`);
    if (wasNeverTaken(payment) && payment.failure_code === NOT_STARTED) return 'withdrawn';
    if (payment.state !== 'received') return 'begun';
    if (payment.answered_at !== null) return 'accepted';
    await movePayment(trx, context, payment, { ...ending, cause: 'withdrawn', announced: false });
    return 'withdrawn';
  };
  return inTransaction(context.db, decide, { patienceMs: commitPatienceMs });
}

/** Ends a payment that nobody started in time, and tells its merchant, who may count on it. */
export async function giveUp(context: PaymentsContext, payment: PaymentRow): Promise<void> {
  await inTransaction(context.db, (trx) =>
    movePayment(trx, context, payment, { ...ending, cause: 'never_started' }),
  );
}
