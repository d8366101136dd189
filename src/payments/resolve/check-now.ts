import type { PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import type { StrangersHint } from '../../rail-kit/rail';
import { getPaymentOrThrow } from '../read/payments';
import { storeHint } from './inbox';

/**
 * Has the provider asked about a payment now, by the payment's own workflow, so that two who ask at once are served by
 * one question. An engine that cannot be reached changes nothing: the payment is answered as it stands.
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

/** As `checkPaymentNow`, where a stranger's word is the reason: as often as such words are followed, and no oftener. */
export async function checkOnUnverifiedEvent(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
  hint: Omit<StrangersHint, 'payment'>,
): Promise<PaymentRow> {
  const stored = await storeHint(context, payment.rail, { ...hint, payment });
  return stored === 'follow' ? checkPaymentNow(context, engine, payment) : payment;
}
