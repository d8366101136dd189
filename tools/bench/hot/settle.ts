/** The transaction that a settlement is, without what leads to it: no provider, no workflow, no merchant. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { movePayment, prepareMove } from '../../../src/payments/transition/transition';
import type { PaymentRow } from '../../../src/store/tables';
import { inTransaction } from '../../../src/store/transaction';
import { rounded } from '../measures/statistics';

export async function settle(context: PaymentsContext, payment: PaymentRow): Promise<void> {
  await prepareMove(context.db, payment, 'succeeded');
  const moved = await inTransaction(context.db, (trx) =>
    movePayment(trx, context, payment, {
      to: 'succeeded',
      cause: 'query',
      evidence: 'benchmark',
      changes: { confirmed_minor: payment.instructed_minor, result_code: 'COMPLETED' },
    }),
  );
  if (!moved) throw new Error(`payment ${payment.payment_id} was moved by somebody else`);
}

/** As many at once as the process has connections. @returns how many of these were done per second. */
export async function perSecondOf(
  works: readonly (() => Promise<unknown>)[],
  lanes: number,
): Promise<number> {
  const left = [...works];
  // What was done before is written meanwhile.
  await delay(500);
  const beganAt = performance.now();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let work = left.pop(); work; work = left.pop()) await work();
    }),
  );
  return rounded((works.length * 1_000) / (performance.now() - beganAt));
}
