import { proxyActivities } from '@temporalio/workflow';
import type {
  Activities,
  Cancellation,
  Initiation,
  PaymentCommand,
  Review,
  ReviewCause,
} from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import { pollTimers, type PollTimers, type Scheduled } from '../src/domain/poll-schedule';
import { inTask } from './in-task';
import { summaryOf, type OpenPayment } from './open-payment';

const { review } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
});

/** The workflow's actions for a queued payment, when its schedule says so. */
export interface QueueDuties {
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
  initiation: Initiation,
  duties?: QueueDuties,
): Promise<PaymentState> {
  const timers = timersOf(initiation, command, payment.clock.now());
  for (;;) {
    let scheduled = timers.next(payment.clock.now());
    // Deliveries may take days. Reports that arrive in between are still read.
    const news = scheduled
      ? await payment.newsBefore(scheduled.at, scheduled.summary, { isConfirming: timers.isConfirming() })
      : await payment.newsBeforeDelivered();
    if (!news && !scheduled) return payment.state;
    if (!news) {
      // The clock may have passed further timers, and then a later one covers both.
      scheduled = timers.next(payment.clock.now());
      timers.keep();
    }
    let cause = news;
    if (!news && scheduled?.cause === 'remind') {
      if (payment.state === 'queued') duties?.remind(scheduled.n);
      continue;
    }
    if (!news && scheduled?.cause === 'give_up') {
      if (payment.state !== 'queued' || !duties) continue;
      // The provider's final status may come later than its "accepted": reports are read, and the provider is polled.
      const given = await duties.giveUp();
      if (given !== 'cancelled') timers.gaveUp(payment.clock.now(), { inVain: given === 'unknown' });
      cause = 'notification';
    }
    const { state, unnamed, asked, unconfirmed } = await lookAt(
      payment,
      command,
      cause ?? causeOf(scheduled),
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
function timersOf(
  { state, unnamed, ageMs, givenUp }: Initiation,
  { policy }: PaymentCommand,
  now: number,
): PollTimers {
  const given = givenUp && { givenUp: { ...givenUp, at: now - givenUp.agoMs } };
  return pollTimers(policy, { state, acceptedAt: now - ageMs, isNamed: unnamed !== true, ...given }, now);
}

function causeOf(scheduled: Scheduled | undefined): ReviewCause {
  if (!scheduled || scheduled.cause === 'remind' || scheduled.cause === 'give_up') return 'check';
  return scheduled.cause;
}

/** Reads the reports, polls the provider where necessary, and books the outcome, in one short step if possible. */
async function lookAt(
  payment: OpenPayment,
  { paymentId }: PaymentCommand,
  cause: ReviewCause,
): Promise<Review> {
  const asked = payment.checkBegins();
  const found = (await quickReview(paymentId, cause)) ?? (await patientReview(paymentId, cause));
  payment.record(found, because[cause]);
  asked.answered();
  return found;
}

const because: Record<ReviewCause, string> = {
  notification: 'the provider reported it',
  check: 'the provider was asked',
  deadline: 'the time to answer was over',
  watch_end: 'the time to watch it was over',
  confirmation: 'the provider was asked to confirm',
};

/** @returns undefined when it did not finish within a workflow task's time. */
async function quickReview(paymentId: string, cause: ReviewCause): Promise<Review | undefined> {
  const found = await inTask.review({ paymentId, cause, patient: false });
  return found?.unanswered === false ? found : undefined;
}

function patientReview(paymentId: string, cause: ReviewCause): Promise<Review> {
  return review.executeWithOptions(summaryOf('ask the provider'), [{ paymentId, cause, patient: true }]);
}
