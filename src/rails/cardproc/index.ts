import type { ProviderResult } from '../../domain/outcome';
import {
  scaleUncertaintyPolicy,
  scalePolicy,
  type Durations,
  type UncertaintyPolicy,
} from '../../rail-kit/uncertainty';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { sendsWebhook, webhookOf } from './webhook';
import { cardprocDescription } from './description';
import { billingDetail } from './drafts';
import { callbackPath, cardprocNotifications, notificationPath } from './notifications';
import { pesapalProvider } from './providers/pesapal';
import { pesapalStatement } from './providers/pesapal/statement';
import { cardprocEndpoints } from './routes';
import { cardprocKeys, readCardprocSettings } from './settings';
import { isFollowed, nextStep } from './status';

const name = 'cardproc';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * The processor is polled less and less often for a day. An order that is still unpaid then is INVALID, and is polled
 * for two more days in case a page was still open. A paid order is polled for a month, because it may be reversed.
 */
const policy: Durations = {
  version: 1,
  checksMs: [
    ...[1, 2, 3, 5, 10, 20, 30].map((m) => m * minute),
    ...[1, 2, 4, 8, 12, 24].map((h) => h * hour),
  ],
  rechecksMs: [36, 48].map((h) => h * hour),
  watchMs: 72 * hour,
  confirmDelaysMs: [5, 5, 10, 10, 30, 60, 300].map((s) => s * second),
  afterSuccessChecksMs: [1, 3, 7, 14, 30].map((d) => d * day),
};

/** The most frequent status query that a merchant's polling can cause. */
const askedEveryMs = 10 * second;

/** An order moves no money before its page is opened, and its page accepts another card after a declined one. */
const uncertainty: UncertaintyPolicy = {
  whenAnswerLost: 'send_anew',
  onTimeout: () => 'time_out',
  silenceText: 'The provider reported no payment of the order in time',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'open_case',
  whenFailed: 'go_on_checking',
  trustQueriedFailureAfterMs: 0,
  trustTentativeFailureAfterMs: 0,
  // A notification may arrive before the status call shows the change.
  followUnverifiedMs: minute,
};

const changed: ProviderResult = { kind: 'unverified', text: 'IPNCHANGE' };

/** Hosted checkout: an order, and a page of the processor where the customer pays it by card, mobile money or bank. */
function create(settings: RailSettings): Rail {
  const { publicUrl, timeScale, environment } = settings;
  const { checkups, ...pesapal } = pesapalProvider(readCardprocSettings(settings.env), settings, {
    callbackUrl: `${publicUrl}${callbackPath}`,
    notificationUrl: `${publicUrl}${notificationPath}`,
  });
  const order: Operation = {
    ...pesapal,
    readNotification: () => changed,
    workflowType: 'hostedOrder',
    flow: 'collection',
    policy: scalePolicy(policy, timeScale),
    uncertainty: scaleUncertaintyPolicy(uncertainty, timeScale),
    forgottenOnceInstructed: [billingDetail],
    notificationsAreTrusted: false,
    // Stored notifications do not show whether the customer's browser or the processor sent them, nor which of them an
    // attacker sent. So their delivery cannot be judged.
    notifiesOf: [],
    purchase: { reference: ['order_id'], nameOf: ({ provider_reference: id }) => id ?? undefined },
    webhookOf,
    sendsWebhook,
  };
  const followedMs = policy.watchMs / timeScale;
  return {
    name,
    nextStep: (payment) => nextStep(payment, isFollowed(payment, followedMs)),
    refund: {
      byHand:
        'Refund all of it in the dashboard of the processor. The service then debits the wallet and closes the case automatically.',
    },
    statement: pesapalStatement,
    wallets: {
      provider: pesapalStatement.provider,
      title: 'Pesapal',
      payments: pesapalStatement.payments,
      cannotBeAsked: 'Pesapal has no balance call (API 3.0); its dashboard shows the balance.',
    },
    statementSource: {
      missing:
        'Pesapal has no API for it: download the merchant statement from its dashboard and pass it with --statement',
    },
    operations: { deposit: order },
    description: cardprocDescription,
    endpoints: (api) =>
      cardprocEndpoints(api, environment, {
        askedEveryMs: askedEveryMs / timeScale,
        followedMs,
      }),
    notificationRoutes: cardprocNotifications,
    checkups: () => [checkups()],
  };
}

export const cardproc: RailDefinition = {
  name,
  title: 'Hosted checkout',
  portalName: { en: 'card checkout', sw: 'malipo ya kadi' },
  sandboxTries: [
    {
      by: 'amount_end',
      tries: [
        { value: '00', end: 'person' },
        { value: '09', end: 'late' },
      ],
    },
  ],
  keys: cardprocKeys,
  create,
};
