import { allHandlersFinished, condition, type CancellationScope } from '@temporalio/workflow';
import type { PaymentCommand } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import { agendaSince } from './agenda-since';
import { aside, besideTheStory, cancelQueued, remindRecipient } from './beside-the-story';
import { follow, type QueueDuties } from './follow';
import { instruct } from './instruct';
import { openPayment, summaryOf } from './open-payment';

/**
 * Money goes out of what was set aside when it was accepted. A network that is down keeps it queued: the merchant may
 * cancel it meanwhile, and one that stays queued for too long is cancelled for it. Only the provider's word releases
 * or spends the hold.
 */
export async function disbursement(command: PaymentCommand): Promise<PaymentState> {
  const { paymentId, rail } = command;
  const payment = openPayment(command, {
    cancel: () => cancelQueued.executeWithOptions(summaryOf('cancel at the provider'), [{ paymentId, rail }]),
  });
  const initiation = await instruct(command, 'send the money');
  payment.accept(initiation.answer);
  payment.record(initiation, 'the provider answered');

  const now = payment.clock.now();
  const agenda = agendaSince(initiation, command, now);
  const beside = command.inOrder ? [] : besideTheStory(payment, command, now - initiation.ageMs);
  const end = await follow(payment, command, agenda, dutiesOf(command, beside));
  for (const scope of beside) scope.cancel();
  await condition(allHandlersFinished);
  return end;
}

/** A recipient who has to claim the money is told so, and reminded while the payout waits. */
function dutiesOf({ paymentId, rail }: PaymentCommand, beside: CancellationScope[]): QueueDuties {
  return {
    remind(n) {
      const remind = () =>
        remindRecipient.executeWithOptions(summaryOf('remind the recipient'), [{ paymentId, n }]);
      beside.push(aside(remind));
    },
    giveUp: () =>
      cancelQueued.executeWithOptions(summaryOf('give up at the provider'), [{ paymentId, rail }]),
  };
}
