import type { Activities, Attention, Postponed, SentWebhook, SubmissionStep } from '../src/domain/commands';
import type { MailTransport } from '../src/mail/transport';
import type { PaymentsContext } from '../src/rail-kit/context';
import { cancelQueued, giveUpQueued } from '../src/payments/resolve/cancel';
import { submitPayment, lostAfterMs, type SubmitResult } from '../src/payments/submit/submit-payment';
import { ownAttempts } from '../src/payments/submit/write-attempt';
import { attentionOf } from '../src/payments/read/attention';
import { remindRecipient } from '../src/payments/recovery/remind';
import { review } from '../src/payments/resolve/review';
import { checkVoucher } from '../src/vouchers/end-voucher';
import { mailVoucher } from '../src/vouchers/mail-voucher';
import type { HowToDeliver } from '../src/webhooks/bulkheads';
import type { Deliverer, DeliveryOutcome } from '../src/webhooks/deliver';
import { bulkheadPerRail, type Bulkhead } from './bulkheads';
import { tryAgain } from './failures';
import { underWay, within } from './under-way';

export interface ActivityDependencies {
  context: PaymentsContext;
  deliverer: Deliverer;
  /** Absent where this deployment sends no mail; then features that need mail are not served. */
  mail?: MailTransport;
  observeDelivery(result: string): void;
  /**
   * The concurrency limits of one rail's provider: submissions, those of them inside workflow tasks, and reviews
   * likewise.
   */
  places: { initiations: number; initiationsInTask: number; reviews: number; quickReviews: number };
  /** How long a workflow task waits for each, in milliseconds; the call continues after that. */
  inTaskMs?: { provider: number; merchant: number };
  /** The try of the activity that runs this, from 1. */
  attempt(): number;
}

export interface ProcessActivities {
  activities: Activities;
  /** Resolves once no call that outlasted its workflow task is running any more, or after a time limit. */
  idle(): Promise<void>;
}

/** How long a call at the concurrency limit waits: these milliseconds for each try, up to so many tries. */
const busy = { eachMs: 500, triesMax: 20 };
/** A merchant who requests the payment before answering its webhook gets the answer only after the task. */
const inTaskMsDefault = { provider: 2_000, merchant: 500 };
/** The longest time of an activity of its own (see workflows/). */
const activityMs = 30_000;
const notTaken = 'the merchant did not accept it';
/** How long a mail that was not accepted waits. */
const mailAgainMs = 30_000;

type Submission = Omit<Parameters<Activities['submitToProvider']>[0], 'patient'>;
type WebhookToSend = Omit<Parameters<Activities['sendWebhook']>[0], 'patient'>;

function isSameAttention(one: Attention, other: Attention): boolean {
  const textOf = ({ hold, openCases = [] }: Attention) =>
    [hold?.reason, hold?.until, ...[...openCases].sort()].join(' ');
  return textOf(one) === textOf(other);
}

/** Temporal keeps it: an operator's own words about a pause stay in the database. */
function shownWhy({ why, hold }: { why: string; hold?: { holdReason: string } | undefined }): string {
  return hold ? `on hold: ${hold.holdReason}` : why;
}

export function createActivities({
  context,
  deliverer,
  mail,
  observeDelivery,
  places,
  inTaskMs = inTaskMsDefault,
  attempt,
}: ActivityDependencies): ProcessActivities {
  const initiations = bulkheadPerRail(places.initiations);
  const initiationsInTask = bulkheadPerRail(places.initiationsInTask);
  const reviews = bulkheadPerRail(places.reviews);
  const quickReviews = bulkheadPerRail(places.quickReviews);

  const own = ownAttempts();
  const submissions = underWay<SubmitResult | 'busy'>({
    joinedForMs: () => Math.max(activityMs, lostAfterMs(context)),
  });

  function instruct(paymentId: string, place: Bulkhead): Promise<SubmitResult | 'busy'> {
    // An attempt that another call wrote is not lost while that call may still send it.
    return submissions.run(paymentId, ({ isOnly }) =>
      place.run(() => submitPayment(context, paymentId, isOnly ? own : ownAttempts())),
    );
  }

  const deliveries = underWay<DeliveryOutcome>({ joinedForMs: () => activityMs });

  function deliver(webhookId: string, how: HowToDeliver): Promise<DeliveryOutcome> {
    return deliveries.run(webhookId, async () => {
      const outcome = await deliverer.deliver(webhookId, how);
      observeDelivery(outcome.kind);
      return outcome;
    });
  }

  /** Work that a workflow task could not finish is tried in an activity of its own at the planned time. */
  function untilItIsTime(type: 'NOT_SENT' | 'NOT_DELIVERED', { afterMs, why = '' }: Postponed): void {
    if (afterMs > 0 && attempt() === 1) throw tryAgain(type, why, afterMs);
  }

  /** Thousands may wait at the same limit: they retry ever more rarely, and at different times. */
  function isBusy(rail: string) {
    const afterMs = busy.eachMs * Math.min(attempt(), busy.triesMax) * (0.5 + Math.random());
    return tryAgain('BUSY', `${rail} is busy`, afterMs);
  }

  function transport(): MailTransport {
    if (mail) return mail;
    throw tryAgain('NOT_MAILED', 'no mail server is configured', mailAgainMs);
  }

  async function postponedBy(
    paymentId: string,
    { afterMs, why, hold }: Extract<SubmitResult, { kind: 'try_again' }>,
  ): Promise<Postponed> {
    const attention = await attentionOf(context.db, paymentId, hold);
    return { afterMs, why: shownWhy({ why, hold }), ...attention };
  }

  async function submitInTask({ paymentId, rail }: Submission): Promise<SubmissionStep | Postponed> {
    // The call also counts for the rail's limit, so that no more calls than that wait for its provider.
    const place: Bulkhead = {
      run: (call) => initiationsInTask(rail).run(() => initiations(rail).run(call)),
    };
    const result = await within(inTaskMs.provider, instruct(paymentId, place));
    if (result === undefined || result === 'busy') return { afterMs: 0 };
    return result.kind === 'done' ? result.initiation : postponedBy(paymentId, result);
  }

  async function submitPatiently({
    paymentId,
    rail,
    postponed,
  }: Submission): Promise<SubmissionStep | Postponed> {
    if (postponed) untilItIsTime('NOT_SENT', postponed);
    const result = await instruct(paymentId, initiations(rail));
    if (result === 'busy') throw isBusy(rail);
    if (result.kind === 'done') return result.initiation;
    const again = await postponedBy(paymentId, result);
    if (!isSameAttention(again, postponed ?? {})) return again;
    throw tryAgain('NOT_SENT', shownWhy(result), result.afterMs);
  }

  async function sendInTask({ webhookId }: WebhookToSend): Promise<SentWebhook | Postponed> {
    const outcome = await within(inTaskMs.merchant, deliver(webhookId, { isAwaited: true }));
    if (outcome === undefined || outcome.kind === 'busy') return { afterMs: 0 };
    return outcome.kind === 'retry' ? { afterMs: outcome.delayMs, why: notTaken } : { result: outcome.kind };
  }

  async function sendPatiently({ webhookId, postponed }: WebhookToSend): Promise<SentWebhook> {
    if (postponed) untilItIsTime('NOT_DELIVERED', postponed);
    const outcome = await deliver(webhookId, { isNew: attempt() === 1 });
    if (outcome.kind === 'retry') throw tryAgain('NOT_DELIVERED', notTaken, outcome.delayMs);
    if (outcome.kind === 'busy')
      throw tryAgain('BUSY', 'not due, or the concurrency limit is reached', outcome.delayMs);
    return { result: outcome.kind };
  }

  const activities: Activities = {
    submitToProvider: ({ patient, ...input }) => (patient ? submitPatiently(input) : submitInTask(input)),

    checkStatus({ paymentId, cause, patient }) {
      const bulkheadOf = patient ? reviews : quickReviews;
      return review(context, { paymentId, cause, patient, ask: (rail, call) => bulkheadOf(rail).run(call) });
    },

    async cancelAtProvider({ paymentId, rail, givesUp }) {
      const cancelIt = givesUp ? giveUpQueued : cancelQueued;
      const result = await initiations(rail).run(() => cancelIt(context, paymentId));
      if (result === 'busy') throw isBusy(rail);
      return result;
    },

    async remindRecipient({ paymentId, n }) {
      const outcome = await remindRecipient(context, transport(), paymentId, n);
      if (outcome?.kind === 'retry') throw tryAgain('NOT_MAILED', outcome.code, mailAgainMs);
    },

    async sendVoucherMail({ voucherId }) {
      const outcome = await mailVoucher(context.db, transport(), voucherId);
      if (outcome.kind === 'retry') throw tryAgain('NOT_MAILED', outcome.code, mailAgainMs);
      return outcome.kind === 'dead' ? 'undeliverable' : 'sent';
    },

    checkVoucher: (input) => checkVoucher(context.db, input),

    sendWebhook: ({ patient, ...input }) => (patient ? sendPatiently(input) : sendInTask(input)),
  };

  return {
    activities,
    idle: async () => {
      await Promise.all([submissions.idle(), deliveries.idle()]);
    },
  };
}
