import { proxyActivities } from '@temporalio/workflow';
import type {
  Activities,
  Cancellation,
  SubmissionStep,
  PaymentCommand,
  Review,
  ReviewCause,
} from '../src/domain/commands';
import { pollTimers, type PollTimers, type Scheduled } from '../src/domain/poll-schedule';
import { inTask } from './in-task';
import type { OpenPayment, Reason } from './open-payment';

const { checkStatus } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
});

/** The workflow's actions for a queued payment, when its schedule says so. */
export interface QueueTasks {
  /** Starts a reminder to the recipient and does not wait for it: mail may take days. */
  remind(n: number): void;
  giveUp(): Promise<Cancellation>;
}

/**
 * Runs a payment from its first answer to its end: reads reports, polls when there are none, and notifies the
 * merchant.
 */
export async function follow(
  payment: OpenPayment,
  command: PaymentCommand,
  step: SubmissionStep,
  queueTasks?: QueueTasks,
): Promise<void> {
  const timers = timersOf(step, payment.clock.now());
  for (;;) {
    let scheduled = timers.next(payment.clock.now());
    // Deliveries may take days. Reports that arrive in between are still read.
    const update = scheduled
      ? await payment.updatesBefore(scheduled.at, scheduled.summary, { isConfirming: timers.isConfirming() })
      : await payment.updatesBeforeDelivered();
    if (!update && !scheduled) return;
    if (!update) {
      // The clock may have passed further timers, and then a later one covers both.
      scheduled = timers.next(payment.clock.now());
      timers.keep();
    }
    let reason = update;
    if (!update && scheduled?.cause === 'remind') {
      if (payment.state === 'queued') queueTasks?.remind(scheduled.n);
      continue;
    }
    if (!update && scheduled?.cause === 'give_up') {
      if (payment.state !== 'queued' || !queueTasks) continue;
      // The provider's final status may come later than its "accepted": reports are read, and the provider is polled.
      const given = await queueTasks.giveUp();
      if (given !== 'cancelled') timers.gaveUp(payment.clock.now(), { inVain: given === 'unknown' });
      reason = { cause: 'notification', why: 'after the cancellation' };
    }
    const { state, unnamed, asked, unconfirmed } = await checkNow(
      payment,
      command,
      reason ?? { cause: causeOf(scheduled), why: scheduled?.summary ?? 'status check' },
    );
    timers.checked(payment.clock.now(), {
      state,
      isNamed: unnamed !== true,
      isAsked: asked === true,
      unconfirmed,
    });
  }
}

/**
 * The timers of a payment that was just accepted, or that a restarted workflow picks up, possibly long after its end.
 */
function timersOf({ state, unnamed, ageMs, abandoned, policy }: SubmissionStep, now: number): PollTimers {
  const given = abandoned && { abandoned: { ...abandoned, at: now - abandoned.agoMs } };
  return pollTimers(policy, { state, acceptedAt: now - ageMs, isNamed: unnamed !== true, ...given }, now);
}

function causeOf(scheduled: Scheduled | undefined): ReviewCause {
  if (!scheduled || scheduled.cause === 'remind' || scheduled.cause === 'give_up') return 'check';
  return scheduled.cause;
}

/** Reads the reports, polls the provider where necessary, and books the outcome, in one short step if possible. */
async function checkNow(
  payment: OpenPayment,
  { reference: paymentId, provider }: PaymentCommand,
  { cause, why }: { cause: ReviewCause; why: Reason['why'] },
): Promise<Review> {
  const asked = payment.checkBegins();
  const summary = why.startsWith('after')
    ? `check status with ${provider} ${why}`
    : `${why}, with ${provider}`;
  const found =
    (await quickCheck(paymentId, cause, summary)) ??
    (await checkStatus.executeWithOptions({ summary: `${summary}, again with more time` }, [
      { paymentId, cause, patient: true },
    ]));
  payment.checked(why, found);
  payment.record(found, because[cause]);
  asked.answered();
  return found;
}

const because: Record<ReviewCause, string> = {
  notification: 'the provider reported it',
  check: 'the provider was polled',
  deadline: 'the time to answer is over',
  watch_end: 'the time to watch it is over',
  confirmation: 'the provider was polled for confirmation',
};

/** @returns undefined when it did not finish within a workflow task's time. */
async function quickCheck(
  paymentId: string,
  cause: ReviewCause,
  summary: string,
): Promise<Review | undefined> {
  const found = await inTask.check({ paymentId, cause }, summary);
  return found?.unanswered === false ? found : undefined;
}
