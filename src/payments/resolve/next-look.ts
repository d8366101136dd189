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
 * workflow that waits for its checks: a look that the provider has not answered is put off, and never taken for done.
 * @param now the payment as it was left.
 */
export async function planNextLook(
  { db, timeScale }: PaymentsContext,
  { payment, operation, isAsked, unanswered }: Considered,
  now: PaymentRow,
  { unconfirmed }: { unconfirmed: boolean },
): Promise<void> {
  const policy = policyOf(operation);
  const isKeptByRow = isSettled(now.state);
  // The workflow of what is open asks again by itself. As long as it did not, what it asks for is awaited all the same.
  const isAnswered = isAsked && (!unanswered || !isKeptByRow);
  // It was to be asked about, and nobody can be asked.
  const isInVain = isKeptByRow
    ? !isAsked && !unanswered && payment.wakes > 0
    : !isAsked && isLookOverdue(payment);
  if (unconfirmed || isAnswered || isInVain) {
    await replanLook(db, policy, now, { unconfirmed });
  } else if (isKeptByRow && unanswered && isLookOverdue(payment)) {
    // Others are only taken up after a glance that was answered, and one that is silent gives up by itself.
    const mayGiveUp = isAsked && isWarned(now);
    await putOffLook(db, policy, now, { timeScale, mayGiveUp });
  } else {
    await planLookNoLater(db, policy, now);
  }
}
