import type { PaymentsContext } from './context';
import { getPaymentOrThrow } from './payments';
import { operationOf, type Reminder } from './rail';

/** Sends each mail of a payment once, known by its kind. */
export interface Mailer {
  send(mail: Reminder & { paymentId: string; kind: string }): Promise<void>;
}

/** Tells the recipient of a queued disbursement, for the n-th time, that the money waits for them. */
export async function remindRecipient(
  context: PaymentsContext,
  mailer: Mailer,
  paymentId: string,
  n: number,
): Promise<void> {
  const payment = await getPaymentOrThrow(context.db, paymentId);
  if (payment.state !== 'queued') return;
  const reminder = operationOf(context.rails.get(payment.rail), payment.kind).remind?.(payment, n);
  if (reminder) await mailer.send({ ...reminder, paymentId, kind: `reminder-${String(n)}` });
}
