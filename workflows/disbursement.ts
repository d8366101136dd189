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
import { agendaOf } from './agenda';
import { follow } from './follow';
import { openPayment, summaryOf, type OpenPayment } from './open-payment';

const { initiate } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  // A refund waits its turn behind the others of its deposit, so this may be tried for long.
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
});

const { cancelQueued, remindRecipient } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/**
 * Money goes out of what was set aside when it was accepted. A network that is down keeps it queued: the merchant may
 * cancel it meanwhile, and one that stays queued for too long is cancelled for it. Only the provider's word releases
 * or spends the hold.
 */
export async function disbursement(command: PaymentCommand): Promise<PaymentState> {
  const { paymentId, rail, policy } = command;
  const payment = openPayment(command, {
    cancel: () => cancelQueued.executeWithOptions(summaryOf('cancel at the provider'), [{ paymentId, rail }]),
  });
  const initiation = await initiate.executeWithOptions(summaryOf('send the money'), [{ paymentId, rail }]);
  payment.accept(initiation.answer);
  payment.record(initiation, 'the provider answered');

  const acceptedAt = payment.clock.now() - initiation.ageMs;
  const agenda = agendaOf(policy, initiation.answer.kind, { acceptedAt, now: payment.clock.now() });
  agenda.entered(initiation.state, acceptedAt, payment.clock.now());
  const whileQueued = [
    aside(() => giveUpWhenQueuedTooLong(payment, command, acceptedAt)),
    aside(() => remindWhileQueued(payment, command)),
  ];
  const end = await follow(payment, command, agenda);
  for (const scope of whileQueued) scope.cancel();
  await condition(allHandlersFinished);
  return end;
}

async function giveUpWhenQueuedTooLong(
  payment: OpenPayment,
  { paymentId, rail, policy }: PaymentCommand,
  acceptedAt: number,
): Promise<void> {
  if (policy.queuedMaxMs === undefined) return;
  const until = acceptedAt + policy.queuedMaxMs;
  await payment.clock.waitUntil(() => false, until, 'until a queued payout is given up');
  if (payment.state !== 'queued') return;
  await cancelQueued.executeWithOptions(summaryOf('give up at the provider'), [{ paymentId, rail }]);
  payment.lookAgain();
}

/** A recipient who has to claim the money is told so, and reminded while the payout waits. */
async function remindWhileQueued(payment: OpenPayment, { paymentId, policy }: PaymentCommand): Promise<void> {
  if (policy.remindersMs === undefined) return;
  await condition(() => payment.state === 'queued');
  const since = payment.clock.now();
  const over = () => payment.state !== 'queued';
  for (const [n, ms] of policy.remindersMs.entries()) {
    if (await payment.clock.waitUntil(over, since + ms, 'until the recipient is reminded')) return;
    await remindRecipient.executeWithOptions(summaryOf('remind the recipient'), [{ paymentId, n }]);
  }
}

/** Runs beside the story until its scope is cancelled. */
function aside(work: () => Promise<void>): CancellationScope {
  const scope = new CancellationScope();
  void scope.run(work).catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  return scope;
}
