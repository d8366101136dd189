import { proxyActivities } from '@temporalio/workflow';
import type { Activities, Initiation, PaymentCommand } from '../src/domain/commands';
import { inTask } from './in-task';
import { summaryOf } from './open-payment';

const { initiate } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  // A refund waits in the queue behind the others of its deposit, so the retries may take long.
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
});

/** Sends the payment's submission to its provider, and waits for the answer. */
export async function instruct({ paymentId, rail }: PaymentCommand, what: string): Promise<Initiation> {
  const { summary } = summaryOf(what);
  const tried = await inTask.initiate({ paymentId, rail }, summary);
  if (tried && 'answer' in tried) return tried;
  return initiate.executeWithOptions({ summary }, [{ paymentId, rail, ...(tried && { postponed: tried }) }]);
}
