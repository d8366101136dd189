import type { SignalSource } from '../../domain/commands';
import type { PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import type { CheckedPayment } from '../../rail-kit/draft';
import type { Engine } from '../../rail-kit/engine';
import type { UnverifiedEvent } from '../../rail-kit/rail';
import { getPaymentOrThrow } from '../read/payments';
import { storeUnverified } from './inbox';

/**
 * Lets the payment's own workflow poll the provider now, so that one poll serves two concurrent requests. Without a
 * connection to Temporal nothing changes: the answer shows the payment as it is.
 */
export async function checkPaymentNow(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
  source: SignalSource = 'merchant',
): Promise<CheckedPayment> {
  let isAnswered = false;
  try {
    ({ isAnswered } = await engine.checkNow(payment, source));
  } catch (error) {
    context.log.warn('the status check of a payment failed', { payment_id: payment.payment_id, error });
  }
  return { payment: await getPaymentOrThrow(context.db, payment.payment_id), isAnswered };
}

/** As `checkPaymentNow`, for the unverified event of a browser that came back: as often as the rate for such events allows. */
export async function checkOnUnverifiedEvent(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
  unverified: Omit<UnverifiedEvent, 'payment'>,
): Promise<PaymentRow> {
  const stored = await storeUnverified(context, payment.rail, { ...unverified, payment });
  return stored === 'follow'
    ? (await checkPaymentNow(context, engine, payment, 'browserReturn')).payment
    : payment;
}
