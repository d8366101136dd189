/** How long what is ours took. The time in which the customer looks at the prompt belongs to the customer. */
import type { Database } from '../../../src/store/database';
import type { Sample } from '../load/payment';

export interface Wait {
  /** Until the money was booked. */
  finalMs: number;
  /** Until the merchant had the webhook. */
  deliveredMs: number;
}

/** Counted from the moment at which the acceptance was answered and the provider had told the outcome. */
export async function waitsOf(db: Database, samples: readonly Sample[]): Promise<Wait[]> {
  const ids = samples.map(({ id }) => id);
  const payments = await db('payments').whereIn('payment_id', ids).select('payment_id', 'finished_at');
  const notices = await db('inbox').whereIn('payment_id', ids).select('payment_id', 'received_at');
  const finishedAt = new Map(payments.map((row) => [row.payment_id, row.finished_at?.getTime()]));
  const toldAt = new Map(notices.map((row) => [row.payment_id, row.received_at.getTime()]));
  return samples.map((sample) => {
    const bookedAt = finishedAt.get(sample.id);
    if (bookedAt === undefined) throw new Error(`payment ${sample.id} was announced but is not final`);
    const from = Math.max(sample.acceptedAt, toldAt.get(sample.id) ?? 0);
    // Under load an outcome can overtake the answer to the request; then nobody waited for it.
    return { finalMs: Math.max(0, bookedAt - from), deliveredMs: Math.max(0, sample.finishedAt - from) };
  });
}
