import type { Activities } from '../src/domain/commands';
import type { MailTransport } from '../src/mail/transport';
import type { PaymentsContext } from '../src/payments/rail/context';
import { cancelQueued } from '../src/payments/review/cancel-queued';
import { initiate } from '../src/payments/instruction/initiate';
import { remindRecipient } from '../src/payments/care/remind';
import { review } from '../src/payments/review/review';
import { lookAtVoucher } from '../src/vouchers/end-voucher';
import { mailVoucher } from '../src/vouchers/mail-voucher';
import type { Deliverer } from '../src/webhooks/deliver';
import { bulkheadPerRail } from './bulkheads';
import { tryAgain } from './failures';

export interface ActivityDependencies {
  context: PaymentsContext;
  deliverer: Deliverer;
  /** Absent where this deployment sends no mail; then nothing that needs one is served. */
  mail?: MailTransport;
  observeDelivery(result: string): void;
  /** Calls to one rail's provider at once: initiations, patient reviews, and reviews inside workflow tasks. */
  places: { initiations: number; reviews: number; quickReviews: number };
  /** Which try of the activity that runs this is, from 1. */
  attempt(): number;
}

/** How long a call that found no place waits, in milliseconds, for each try it has had, up to so many of them. */
const busy = { eachMs: 500, triesMax: 20 };
/** How long a mail that was not taken waits. */
const mailAgainMs = 30_000;

export function createActivities({
  context,
  deliverer,
  mail,
  observeDelivery,
  places,
  attempt,
}: ActivityDependencies): Activities {
  const initiations = bulkheadPerRail(places.initiations);
  const reviews = bulkheadPerRail(places.reviews);
  const quickReviews = bulkheadPerRail(places.quickReviews);

  /** Thousands may wait for the same few places: they ask ever more rarely, and not together. */
  function isBusy(rail: string) {
    const afterMs = busy.eachMs * Math.min(attempt(), busy.triesMax) * (0.5 + Math.random());
    return tryAgain('BUSY', `${rail} is busy`, afterMs);
  }

  function transport(): MailTransport {
    if (mail) return mail;
    throw tryAgain('NOT_MAILED', 'no mail server is set', mailAgainMs);
  }

  return {
    async initiate({ paymentId, rail }) {
      const result = await initiations(rail).run(() => initiate(context, paymentId));
      if (result === 'busy') throw isBusy(rail);
      if (result.kind === 'try_again') throw tryAgain('NOT_SENT', result.why, result.afterMs);
      return result.initiation;
    },

    review({ paymentId, cause, patient }) {
      const bulkheadOf = patient ? reviews : quickReviews;
      return review(context, { paymentId, cause, patient, ask: (rail, call) => bulkheadOf(rail).run(call) });
    },

    async cancelQueued({ paymentId, rail }) {
      const result = await initiations(rail).run(() => cancelQueued(context, paymentId));
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

    endVoucher: (input) => lookAtVoucher(context.db, input),

    async deliverWebhook({ webhookId }) {
      const outcome = await deliverer.deliver(webhookId);
      observeDelivery(outcome.kind);
      if (outcome.kind === 'retry')
        throw tryAgain('NOT_DELIVERED', 'the merchant did not take it', outcome.delayMs);
      if (outcome.kind === 'busy') throw tryAgain('BUSY', 'not due, or no place is free', outcome.delayMs);
    },
  };
}
