import { proxyActivities } from '@temporalio/workflow';
import type { Activities, Cancellation, PaymentCommand, Review, ReviewCause } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import type { Agenda, Appointment } from './agenda';
import { inTask } from './in-task';
import { summaryOf, type OpenPayment } from './open-payment';

const { review } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
});

/** What a story does about a payment that stays queued, when its agenda says so. */
export interface QueueDuties {
  /** Has the recipient reminded, and does not wait for it: mail may take days. */
  remind(n: number): void;
  giveUp(): Promise<Cancellation>;
}

/** Follows a payment from its acceptance to its end: reads what is reported, asks when nothing is, tells the merchant. */
export async function follow(
  payment: OpenPayment,
  command: PaymentCommand,
  agenda: Agenda,
  duties?: QueueDuties,
): Promise<PaymentState> {
  for (;;) {
    let appointment = agenda.next(payment.clock.now());
    // Deliveries may take days. What is reported meanwhile is still read.
    const news = appointment
      ? await payment.newsBefore(appointment.at, appointment.summary, { isConfirming: agenda.isConfirming() })
      : await payment.newsBeforeDelivered();
    if (!news && !appointment) return payment.state;
    if (!news) {
      // The clock may have passed more than this one, and then a later one serves for both.
      appointment = agenda.next(payment.clock.now());
      agenda.keep();
    }
    let cause = news;
    if (!news && appointment?.cause === 'remind') {
      if (payment.state === 'queued') duties?.remind(appointment.n);
      continue;
    }
    if (!news && appointment?.cause === 'give_up') {
      if (payment.state !== 'queued' || !duties) continue;
      // The provider's final word may come later than its "taken": it is read, and asked for.
      const given = await duties.giveUp();
      if (given !== 'cancelled') agenda.gaveUp(payment.clock.now(), { inVain: given === 'unknown' });
      cause = 'notification';
    }
    const before = payment.state;
    const { unconfirmed } = await lookAt(payment, command, cause ?? causeOf(appointment));
    const now = payment.clock.now();
    if (payment.state !== before) agenda.entered(payment.state, now, now);
    if (unconfirmed) agenda.confirmAgain(now);
  }
}

function causeOf(appointment: Appointment | undefined): ReviewCause {
  if (!appointment || appointment.cause === 'remind' || appointment.cause === 'give_up') return 'check';
  return appointment.cause;
}

/** Reads what was reported, asks the provider where needed, and books the outcome, in one short step if possible. */
async function lookAt(
  payment: OpenPayment,
  { paymentId }: PaymentCommand,
  cause: ReviewCause,
): Promise<Review> {
  const asked = payment.lookBegins();
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

/** @returns undefined when it could not be done in the time a workflow task may take. */
async function quickReview(paymentId: string, cause: ReviewCause): Promise<Review | undefined> {
  const found = await inTask.review({ paymentId, cause, patient: false });
  return found?.unanswered === false ? found : undefined;
}

function patientReview(paymentId: string, cause: ReviewCause): Promise<Review> {
  return review.executeWithOptions(summaryOf('ask the provider'), [{ paymentId, cause, patient: true }]);
}
