import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities, PaymentCommand } from '../src/domain/commands';
import { summaryOf, type OpenPayment } from './open-payment';

export const { cancelQueued, remindRecipient } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/** Runs beside the story until its scope is cancelled. */
export function aside(work: () => Promise<void>): CancellationScope {
  const scope = new CancellationScope();
  void scope.run(work).catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  return scope;
}

/**
 * What payouts do about their queue that were begun before it was part of the agenda (PaymentCommand.inOrder). It goes
 * when none of them can be open any more: 33 days after such a worker ran for the last time.
 */
export function besideTheStory(
  payment: OpenPayment,
  command: PaymentCommand,
  acceptedAt: number,
): CancellationScope[] {
  return [
    aside(() => giveUpWhenQueuedTooLong(payment, command, acceptedAt)),
    aside(() => remindWhileQueued(payment, command)),
  ];
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
