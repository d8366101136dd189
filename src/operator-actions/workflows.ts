/** Signals the workflows of payments after the transaction of an action is committed. */
import type { PaymentRow } from '../store/tables';
import type { Deployment } from './action';
import { isUnreachable, textOf } from './errors';

const atOnce = 10;
/** Any provider can handle this many payouts at once. */
const few = 100;

export interface Signalled {
  done: number;
  failed: { payment_id: string; error: string }[];
}

/** Calls `act` for each payment, a few at a time. An error of one payment does not stop the others. */
export async function forEachWorkflow(
  payments: PaymentRow[],
  act: (payment: PaymentRow) => Promise<void>,
): Promise<Signalled> {
  const waiting = [...payments];
  const result: Signalled = { done: 0, failed: [] };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let payment = waiting.shift(); payment; payment = waiting.shift()) {
        try {
          await act(payment);
          result.done += 1;
        } catch (error) {
          result.failed.push({ payment_id: payment.payment_id, error: textOf(error) });
          // Without Temporal each further call would wait five seconds.
          if (isUnreachable(error))
            for (const left of waiting.splice(0))
              result.failed.push({
                payment_id: left.payment_id,
                error: 'not tried: Temporal cannot be reached',
              });
        }
      }
    }),
  );
  return result;
}

export function signalAll(
  { engine }: Pick<Deployment, 'engine'>,
  payments: PaymentRow[],
): Promise<Signalled> {
  return forEachWorkflow(payments, (payment) => engine.signalOrStart(payment, 'operator'));
}

/**
 * Makes waiting payouts continue at once. If there are more than a few, or if a workflow cannot be reached, each workflow
 * continues by itself within a minute, which spreads the load.
 */
export async function retryFew(
  { engine }: Pick<Deployment, 'engine'>,
  find: (limit: number) => Promise<PaymentRow[]>,
): Promise<'at once' | 'within a minute'> {
  // The release is committed, so an error here must not look like a failed release.
  const payments = await find(few + 1).catch(() => undefined);
  if (payments && payments.length <= few) {
    let hastened = 0;
    await forEachWorkflow(payments, async (payment) => {
      if (await engine.retryNow(payment)) hastened += 1;
    });
    if (hastened === payments.length) return 'at once';
  }
  return 'within a minute';
}
