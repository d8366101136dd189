/** What an action does to the workflows of payments once its transaction is committed. */
import type { PaymentRow } from '../store/tables';
import type { Deployment } from './action';
import { isUnreachable, textOf } from './errors';

const atOnce = 10;
/** So many payouts at one moment are a load that any provider bears. */
const few = 100;

export interface Waking {
  done: number;
  failed: { payment_id: string; error: string }[];
}

/** Does something with the workflow of each payment, a few at a time, and goes on where one cannot be reached. */
export async function forEachWorkflow(
  payments: PaymentRow[],
  act: (payment: PaymentRow) => Promise<void>,
): Promise<Waking> {
  const waiting = [...payments];
  const result: Waking = { done: 0, failed: [] };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let payment = waiting.shift(); payment; payment = waiting.shift()) {
        try {
          await act(payment);
          result.done += 1;
        } catch (error) {
          result.failed.push({ payment_id: payment.payment_id, error: textOf(error) });
          // Nobody waits five seconds for each of ten thousand payments.
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

export function wakeAll({ engine }: Pick<Deployment, 'engine'>, payments: PaymentRow[]): Promise<Waking> {
  return forEachWorkflow(payments, (payment) => engine.wake(payment));
}

/**
 * What has waited, and may be sent from now on, goes on now. More than a few spread by themselves over the minute in which
 * each asks again; so does whatever cannot be reached: then as well it goes on.
 */
export async function hastenFew(
  { engine }: Pick<Deployment, 'engine'>,
  find: (limit: number) => Promise<PaymentRow[]>,
): Promise<'at once' | 'within a minute'> {
  // What was released is released, though the database should be lost now.
  const payments = await find(few + 1).catch(() => undefined);
  if (payments && payments.length <= few) {
    let hastened = 0;
    await forEachWorkflow(payments, async (payment) => {
      if (await engine.hasten(payment)) hastened += 1;
    });
    if (hastened === payments.length) return 'at once';
  }
  return 'within a minute';
}
