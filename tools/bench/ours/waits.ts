/** Our own share of a payment's time. The customer's time with the prompt does not count. */
import type { Database } from '../../../src/store/database';
import type { Sample } from '../load/payment';

export interface Wait {
  /** Until the money was booked. */
  finalMs: number;
  /** Until the merchant had the webhook. */
  deliveredMs: number;
}

/** Counted from the later of the answer to the merchant and the provider's result. */
export async function waitsOf(db: Database, samples: readonly Sample[]): Promise<Wait[]> {
  const ids = samples.map(({ id }) => id);
  const payments = await db('payments').whereIn('payment_id', ids).select('payment_id', 'finished_at');
  const providerEvents = await db('inbox').whereIn('payment_id', ids).select('payment_id', 'received_at');
  const finishedAt = new Map(payments.map((row) => [row.payment_id, row.finished_at?.getTime()]));
  const reportedAt = new Map(providerEvents.map((row) => [row.payment_id, row.received_at.getTime()]));
  return samples.map((sample) => {
    const bookedAt = finishedAt.get(sample.id);
    if (bookedAt === undefined) throw new Error(`payment ${sample.id} was announced but is not final`);
    const from = Math.max(sample.acceptedAt, reportedAt.get(sample.id) ?? 0);
    // Under load a result can arrive before the answer to the request; then the client did not wait for it.
    return { finalMs: Math.max(0, bookedAt - from), deliveredMs: Math.max(0, sample.finishedAt - from) };
  });
}
