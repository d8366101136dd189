import { createHash } from 'node:crypto';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import { findPayment } from '../read/payments';
import type { NotifiedPayment, ReceivedNotification } from '../../rail-kit/rail';
import type { InboxRow } from '../../store/tables';

type Taken = Extract<ReceivedNotification, { kind: 'take' }>;

/**
 * Stores a notification, raw and once. When this returns it is committed and may be acknowledged; a repeat
 * changes nothing.
 * @returns whether it is new.
 */
export async function storeNotification(
  { db }: Pick<PaymentsContext, 'db'>,
  rail: string,
  sourceAddress: string,
  received: Taken,
): Promise<boolean> {
  const eventKey = createHash('sha256').update(received.eventKey).digest();
  const receivedAt = new Date();
  const [inserted] = (await db('inbox')
    .insert({
      rail,
      event_key: eventKey,
      payment_id: received.payment?.payment_id ?? null,
      source_address: sourceAddress,
      body: received.body,
      ...standingOf(received),
      received_at: receivedAt,
      follow_at: received.isProven ? null : receivedAt,
    })
    .onConflict()
    .ignore()) as [number];
  return inserted !== 0;
}

function standingOf({ payment, ignoredBecause }: Taken): Pick<InboxRow, 'state' | 'reason' | 'processed_at'> {
  if (ignoredBecause !== undefined) {
    return { state: 'ignored', reason: ignoredBecause, processed_at: new Date() };
  }
  return payment
    ? { state: 'new', reason: null, processed_at: null }
    : { state: 'parked', reason: 'no payment matches yet', processed_at: null };
}

/** Tells the payment's workflow that there is something to read. A lost nudge is repeated by the sweeper. */
export async function nudge(
  context: PaymentsContext,
  engine: Engine,
  { payment_id: paymentId, workflow_id: workflowId }: NotifiedPayment,
): Promise<void> {
  try {
    if (await engine.nudge(workflowId)) return;
    const payment = await findPayment(context.db, paymentId);
    if (payment) await engine.wake(payment);
  } catch (error) {
    context.log.warn('a payment could not be nudged; the sweeper will', { payment_id: paymentId, error });
  }
}
