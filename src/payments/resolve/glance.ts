import { isSettled } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import { isWarned } from '../transition/warning-details';
import type { PaymentsContext } from '../../rail-kit/context';
import { operationOf } from '../../rail-kit/rail';
import { consider, isIdle } from './consider';

/**
 * Whether a look at a payment would change anything. Asks the provider, and writes nothing. `news`: there is something to
 * decide, or it is not for a glance to say.
 */
export async function glance(
  context: PaymentsContext,
  payment: PaymentRow,
): Promise<'same' | 'news' | 'unanswered'> {
  if (await isForWorkflow(context, payment)) return 'news';
  const { unanswered, decided } = await consider(context, {
    paymentId: payment.payment_id,
    cause: 'check',
    patient: true,
    ask: (_rail, call) => call(),
  });
  if (unanswered) return 'unanswered';
  return decided && isIdle(decided) && !decided.unconfirmed ? 'same' : 'news';
}

/** Whether its workflow has to look, whatever the provider says. */
export async function isForWorkflow({ db, rails }: PaymentsContext, payment: PaymentRow): Promise<boolean> {
  const { policy } = operationOf(rails.get(payment.rail), payment);
  const isWatched = isSettled(payment.state) && policy.afterSuccessChecksMs !== undefined;
  // What is held of a payment that was warned of is reckoned anew in every look.
  if (!isWatched || isWarned(payment)) return true;
  const { payment_id: paymentId } = payment;
  const unread = await db('inbox').where({ payment_id: paymentId, state: 'new' }).first('inbox_id');
  return unread !== undefined;
}
