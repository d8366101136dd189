import { isSettled } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import { isLookOverdue, planLookNoLater, replanLook } from '../transition/plan-look';
import { putOffLook } from '../transition/put-off-look';
import { isWarned } from '../transition/warning-details';
import type { PaymentsContext } from '../../rail-kit/context';
import { policyOf } from '../../rail-kit/in-doubt';
import type { Considered } from './consider';

/**
 * Writes down when a payment that was just reviewed, and stays where it is, is looked at next. What was paid has no
 * workflow that keeps its appointments: a look that the provider has not answered is put off, and never taken for done.
 * @param now the payment as it was left.
 */
export async function planNextLook(
  { db, timeScale }: PaymentsContext,
  { payment, operation, isAsked, unanswered }: Considered,
  now: PaymentRow,
  { unconfirmed }: { unconfirmed: boolean },
): Promise<void> {
  const policy = policyOf(operation);
  const isAnswered = isAsked && !unanswered;
  // It was claimed to be asked about, and nobody can be asked.
  const isInVain = !isAsked && !unanswered && payment.wakes > 0;
  if (unconfirmed || isAnswered || isInVain || !isSettled(now.state)) {
    await replanLook(db, policy, now, { unconfirmed });
  } else if (unanswered && isLookOverdue(payment)) {
    // Others are only taken up after a glance that was answered, and one that is silent gives up by itself.
    const mayGiveUp = isAsked && isWarned(now);
    await putOffLook(db, policy, now, { timeScale, mayGiveUp });
  } else {
    await planLookNoLater(db, policy, now);
  }
}
