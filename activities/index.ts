import type { Activities } from '../src/domain/commands';
import type { PaymentsContext } from '../src/payments/context';
import { cancelQueued } from '../src/payments/cancel-queued';
import { initiate } from '../src/payments/initiate';
import { remindRecipient, type Mailer } from '../src/payments/remind';
import { review } from '../src/payments/review';
import type { Deliverer } from '../src/webhooks/deliver';
import { bulkheadPerRail } from './bulkheads';
import { tryAgain } from './failures';

export interface ActivityDependencies {
  context: PaymentsContext;
  deliverer: Deliverer;
  mailer?: Mailer;
  /** Calls to one rail's provider at once: initiations, patient reviews, and reviews inside workflow tasks. */
  observeDelivery(result: string): void;
  places: { initiations: number; reviews: number; quickReviews: number };
}

/** How long a call that found no place waits, in milliseconds. */
const busyMs = 500;

export function createActivities({
  context,
  deliverer,
  mailer,
  observeDelivery,
  places,
}: ActivityDependencies): Activities {
  const initiations = bulkheadPerRail(places.initiations);
  const reviews = bulkheadPerRail(places.reviews);
  const quickReviews = bulkheadPerRail(places.quickReviews);

  return {
    async initiate({ paymentId, rail }) {
      const result = await initiations(rail).run(() => initiate(context, paymentId));
      if (result === 'busy') throw tryAgain('BUSY', `${rail} is busy`, busyMs);
      if (result.kind === 'try_again')
        throw tryAgain('NOT_SENT', 'the provider was not reached', result.afterMs);
      return result.initiation;
    },

    review({ paymentId, cause, patient }) {
      const bulkheadOf = patient ? reviews : quickReviews;
      return review(context, { paymentId, cause, patient, ask: (rail, call) => bulkheadOf(rail).run(call) });
    },

    async cancelQueued({ paymentId, rail }) {
      const result = await initiations(rail).run(() => cancelQueued(context, paymentId));
      if (result === 'busy') throw tryAgain('BUSY', `${rail} is busy`, busyMs);
      return result;
    },

    async remindRecipient({ paymentId, n }) {
      if (mailer) await remindRecipient(context, mailer, paymentId, n);
    },

    async deliverWebhook({ webhookId }) {
      const outcome = await deliverer.deliver(webhookId);
      observeDelivery(outcome.kind);
      if (outcome.kind === 'retry')
        throw tryAgain('NOT_DELIVERED', 'the merchant did not take it', outcome.delayMs);
      if (outcome.kind === 'busy') throw tryAgain('BUSY', 'not due, or no place is free', outcome.delayMs);
    },
  };
}
