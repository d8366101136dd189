import {
  ActivityCancellationType,
  CancellationScope,
  allHandlersFinished,
  condition,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities, PaymentCommand, PaymentResult } from '../src/domain/commands';
import { follow, type QueueTasks } from './follow';
import { submit } from './submit';
import { openPayment } from './open-payment';

const { cancelAtProvider, remindRecipient } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/**
 * Money goes out of the amount that was reserved at the creation. While a network is down the payout stays queued,
 * and the merchant may cancel it. A payout that is queued for too long is cancelled for the merchant. Only the
 * provider's result releases or spends the reserve.
 */
export async function disbursement(command: PaymentCommand): Promise<PaymentResult> {
  const { reference: paymentId, rail, kind, provider } = command;
  const payment = openPayment(command, {
    cancel: () =>
      cancelAtProvider.executeWithOptions({ summary: `cancel with ${provider}: the merchant asked for it` }, [
        { paymentId, rail },
      ]),
  });
  const step = await submit(
    payment,
    command,
    kind === 'refund' ? 'give the money back' : 'pay the money out',
  );
  payment.accept(step);

  const reminding: CancellationScope[] = [];
  await follow(payment, command, step, queueTasksOf(command, reminding));
  for (const scope of reminding) scope.cancel();
  await condition(allHandlersFinished);
  return payment.result();
}

/** A recipient who has to collect the money gets a mail, and reminders while the payout is queued. */
function queueTasksOf(
  { reference: paymentId, rail, provider }: PaymentCommand,
  reminding: CancellationScope[],
): QueueTasks {
  return {
    remind(n) {
      const remind = () =>
        remindRecipient.executeWithOptions(
          { summary: `remind the recipient to collect the money, reminder ${String(n + 1)}` },
          [{ paymentId, n }],
        );
      reminding.push(aside(remind));
    },
    giveUp: () =>
      cancelAtProvider.executeWithOptions({ summary: `cancel with ${provider}: queued for too long` }, [
        { paymentId, rail, givesUp: true },
      ]),
  };
}

/** Runs concurrently with the workflow until its scope is cancelled. */
function aside(work: () => Promise<void>): CancellationScope {
  const scope = new CancellationScope();
  void scope.run(work).catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  return scope;
}
