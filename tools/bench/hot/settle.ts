/** The transaction of a settlement alone: no provider, no workflow, no merchant. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { applyTransition, prepareTransition } from '../../../src/payments/transition/transition';
import type { PaymentRow } from '../../../src/store/tables';
import { inTransaction } from '../../../src/store/transaction';
import { rounded } from '../measures/statistics';

export async function settle(context: PaymentsContext, payment: PaymentRow): Promise<void> {
  await prepareTransition(context.db, payment, 'succeeded');
  const moved = await inTransaction(context.db, (trx) =>
    applyTransition(trx, context, payment, {
      to: 'succeeded',
      cause: 'query',
      evidence: 'benchmark',
      changes: { confirmed_minor: payment.instructed_minor, result_code: 'COMPLETED' },
    }),
  );
  if (!moved) throw new Error(`payment ${payment.payment_id} was changed by another process`);
}

/** As many at once as the process has connections. @returns how many per second. */
export async function perSecondOf(
  works: readonly (() => Promise<unknown>)[],
  callersMax: number,
): Promise<number> {
  const left = [...works];
  // Earlier writes reach the disk meanwhile.
  await delay(500);
  const beganAt = performance.now();
  await Promise.all(
    Array.from({ length: callersMax }, async () => {
      for (let work = left.pop(); work; work = left.pop()) await work();
    }),
  );
  return rounded((works.length * 1_000) / (performance.now() - beganAt));
}
