import {
  ActivityCancellationType,
  CancellationScope,
  allHandlersFinished,
  condition,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities, PaymentCommand } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import { follow, type QueueDuties } from './follow';
import { instruct } from './instruct';
import { openPayment, summaryOf } from './open-payment';

const { cancelQueued, remindRecipient } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/**
 * Money goes out of the amount that was reserved at the creation. While a network is down the payout stays queued,
 * and the merchant may cancel it. A payout that is queued for too long is cancelled for the merchant. Only the
 * provider's result releases or spends the reserve.
 */
export async function disbursement(command: PaymentCommand): Promise<PaymentState> {
  const { paymentId, rail } = command;
  const payment = openPayment(command, {
    cancel: () => cancelQueued.executeWithOptions(summaryOf('cancel at the provider'), [{ paymentId, rail }]),
  });
  const initiation = await instruct(command, 'send the money');
  payment.accept(initiation.answer);
  payment.record(initiation, 'the provider answered');

  const reminding: CancellationScope[] = [];
  const end = await follow(payment, command, initiation, dutiesOf(command, reminding));
  for (const scope of reminding) scope.cancel();
  await condition(allHandlersFinished);
  return end;
}

/** A recipient who has to collect the money gets a mail, and reminders while the payout is queued. */
function dutiesOf({ paymentId, rail }: PaymentCommand, reminding: CancellationScope[]): QueueDuties {
  return {
    remind(n) {
      const remind = () =>
        remindRecipient.executeWithOptions(summaryOf('remind the recipient'), [{ paymentId, n }]);
      reminding.push(aside(remind));
    },
    giveUp: () =>
      cancelQueued.executeWithOptions(summaryOf('give up at the provider'), [
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
