import type { Cancellation } from '../../domain/commands';
import { PaymentError } from '../../domain/errors';
import { isFinal } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import { findPayment } from '../read/payments';

/**
 * Has a payment's workflow cancel it. Once the workflow was asked the answer is never an error: what is not known in
 * time is under way.
 * @throws PaymentError SERVICE_UNAVAILABLE when nobody could be asked.
 */
export async function cancelPayment(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<Cancellation> {
  const { payment_id: paymentId } = payment;
  try {
    await engine.wake(payment);
  } catch (error) {
    throw new PaymentError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5, cause: error });
  }
  try {
    return await engine.cancel(payment);
  } catch (error) {
    context.log.warn('a cancellation was not answered in time', { payment_id: paymentId, error });
    const now = await findPayment(context.db, paymentId).catch(() => undefined);
    if (!now) return 'open';
    if (now.state === 'cancelled') return 'cancelled';
    return isFinal(now.state) ? 'too_late' : 'open';
  }
}
