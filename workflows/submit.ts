import { proxyActivities } from '@temporalio/workflow';
import type { Activities, PaymentCommand, Postponed, SubmissionStep } from '../src/domain/commands';
import { inTask } from './in-task';
import type { OpenPayment } from './open-payment';

const { submitToProvider } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  // A refund waits in the queue behind the others of its deposit, so the retries may take long.
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
});

/**
 * Sends the payment's submission to its provider, and waits for the answer. While it is not sent, the workflow shows
 * why, and lets operators search for a hold.
 */
export async function submit(
  payment: OpenPayment,
  { reference: paymentId, rail, provider }: PaymentCommand,
  what: string,
): Promise<SubmissionStep> {
  const inOne = await inTask.submit({ paymentId, rail }, `${what}: submit to ${provider}`);
  if (inOne && 'answer' in inOne) return inOne;
  for (let postponed: Postponed | undefined = inOne; ;) {
    payment.postponed(postponed);
    const summary = `${what}: submit to ${provider}${whyLater(postponed)}`;
    const step: SubmissionStep | Postponed = await submitToProvider.executeWithOptions({ summary }, [
      { paymentId, rail, patient: true, ...(postponed && { postponed }) },
    ]);
    if ('answer' in step) return step;
    // The changed hold or case is shown now. The next activity decides how long it waits.
    postponed = { ...step, afterMs: 0 };
  }
}

function whyLater(postponed: Postponed | undefined): string {
  if (postponed?.hold)
    return `; on hold (${postponed.hold.reason}): each try looks at the hold, and sends nothing`;
  return postponed?.why === undefined ? ', which takes longer' : `, again: ${postponed.why}`;
}
