import type { PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import type { StrangersHint } from '../../rail-kit/rail';
import { getPaymentOrThrow } from '../read/payments';
import { storeHint } from './inbox';

/**
 * Lets the payment's own workflow poll the provider now, so that one poll serves two concurrent requests. Without a
 * connection to Temporal nothing changes: the answer shows the payment as it is.
 */
export async function checkPaymentNow(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<PaymentRow> {
  try {
    await engine.checkNow(payment);
  } catch (error) {
    context.log.warn('a payment could not be looked at', { payment_id: payment.payment_id, error });
  }
  return getPaymentOrThrow(context.db, payment.payment_id);
}

/** As `checkPaymentNow`, for an unverified event: as often as the rate for such events allows. */
export async function checkOnUnverifiedEvent(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
  hint: Omit<StrangersHint, 'payment'>,
): Promise<PaymentRow> {
  const stored = await storeHint(context, payment.rail, { ...hint, payment });
  return stored === 'follow' ? checkPaymentNow(context, engine, payment) : payment;
}
