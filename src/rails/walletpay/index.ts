import { payingOut } from '../../payments/create/bulk/endpoints';
import {
  scaleUncertaintyPolicy,
  scalePolicy,
  type Durations,
  type UncertaintyPolicy,
} from '../../rail-kit/uncertainty';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { walletpayBulk } from './bulk';
import { sendsWebhook, orderWebhook, payoutWebhook, refundWebhook } from './webhook';
import { walletpayDescription } from './description';
import { claimMail } from './claim-mail';
import { unverifiedOf, refundUnverifiedOf } from './events';
import { landingPath, matchNotification, walletpayNotifications, webhookPath } from './notifications';
import { paypalProvider } from './providers/paypal';
import { isBeingCaptured } from './providers/paypal/capture-issues';
import { paypalStatement } from './providers/paypal/statement';
import { refundWithin } from './refund';
import { payoutRules, walletpayEndpoints } from './routes';
import { readWalletpaySettings, walletpayKeys } from './settings';
import { nextStep } from './status';

const name = 'walletpay';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.round((to - from) / step) }, (_, i) => from + (i + 1) * step);

const confirmDelaysMs = [1, 2, 5, 10, 30, 60, 300].map((s) => s * second);

/**
 * A paid order or payout may be returned for 180 days, the provider's time limit for refunds. Events may be lost, so
 * the provider is polled for this time. Between two polls it costs one row.
 */
const returnedChecksMs = [1, 7, 30, 60, 90, 120, 180].map((d) => d * day);

/**
 * An order lives for six hours. A capture under review is polled hourly for a day, then daily for ten days. Then an
 * operator decides about an open order.
 */
const orderPolicy: Durations = {
  version: 1,
  checksMs: [...[2, 5, 10, 20, 40].map((m) => m * minute), ...[1, 2, 3, 6].map((h) => h * hour)],
  rechecksMs: [...every(hour, 6 * hour, 30 * hour), ...every(day, 30 * hour, 30 * hour + 10 * day)],
  watchMs: 30 * hour + 10 * day + minute,
  confirmDelaysMs,
  afterSuccessChecksMs: returnedChecksMs,
  // A chargeback or dispute takes days to show. The sweeper starts these checks.
  afterWarningChecksMs: [hour, ...every(day, 0, 10 * day)],
};

/**
 * A payout settles in seconds, or waits for its recipient: after thirty days it is cancelled at the provider. After
 * thirty-two days, an operator decides about an open payout. A paid payout may be returned, and a reversal has no
 * event.
 */
const payoutPolicy: Durations = {
  version: 1,
  checksMs: [
    ...[10, 30].map((s) => s * second),
    ...[1, 2, 5, 15].map((m) => m * minute),
    ...[1, 6].map((h) => h * hour),
    ...every(day, 0, 32 * day),
  ],
  rechecksMs: [],
  watchMs: 32 * day + second,
  confirmDelaysMs,
  queuedMaxMs: 30 * day,
  remindersMs: [0, 3 * day, 14 * day, 27 * day],
  afterSuccessChecksMs: returnedChecksMs,
};

/**
 * A refund is done at once, and an event reports it. A refund from the seller's bank (ECHECK) takes days, and no event
 * reports its failure. After thirty days an operator decides about an open refund, and polling continues.
 */
const refundPolicy: Durations = {
  version: 1,
  checksMs: [
    ...[2, 10, 30].map((s) => s * second),
    ...[1, 2, 5, 15, 30].map((m) => m * minute),
    ...[1, 2, 3, 6, 12].map((h) => h * hour),
    ...every(day, 0, 30 * day),
  ],
  rechecksMs: [],
  watchMs: 30 * day + second,
  confirmDelaysMs,
};

const orderUncertainty: UncertaintyPolicy = {
  whenAnswerLost: 'send_anew',
  // Only an order that is known to be unpaid ends.
  onTimeout: ({ details }, answer) =>
    answer?.kind === 'open' && details['capture_id'] === undefined && !isBeingCaptured(answer.details ?? {})
      ? 'time_out'
      : 'wait',
  silenceText: 'The order was not approved and paid in time',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'open_case',
  whenFailed: 'end',
  trustQueriedFailureAfterMs: 0,
  // An order that the provider does not find is queried once more before that counts.
  trustTentativeFailureAfterMs: minute,
  // The provider's status may not show an event's change yet.
  followUnverifiedMs: 2 * minute,
};

const payoutUncertainty: UncertaintyPolicy = {
  ...orderUncertainty,
  whenAnswerLost: 'stay_unknown',
  onTimeout: () => 'ask_operator',
  whenSuccessIsLate: 'open_case',
  trustTentativeFailureAfterMs: 0,
};

const refundUncertainty: UncertaintyPolicy = {
  ...payoutUncertainty,
  // A repeated rejection does not count at once: the earlier submission may still arrive.
  trustTentativeFailureAfterMs: minute,
};

/**
 * Wallet checkout: orders that a buyer approves and the service captures, their refunds, and payouts to an e-mail
 * address.
 */
function create(settings: RailSettings): Rail {
  const { timeScale, publicUrl } = settings;
  const paypal = paypalProvider(readWalletpaySettings(settings.env, settings.environment), settings);
  const common = {
    notificationsAreTrusted: false,
    readNotification: ({ body }) => unverifiedOf(body),
  } satisfies Partial<Operation>;
  const payouts = scalePolicy(payoutPolicy, timeScale);
  const refund = refundWithin(timeScale);
  return {
    name,
    nextStep,
    refund,
    payOut: payingOut((db) => walletpayBulk(db, payoutRules)),
    statement: paypalStatement,
    wallets: paypal.wallets,
    statementSource: paypal.statementSource,
    operations: {
      deposit: {
        ...common,
        ...paypal.order,
        workflowType: 'walletOrder',
        flow: 'collection',
        policy: scalePolicy(orderPolicy, timeScale),
        uncertainty: scaleUncertaintyPolicy(orderUncertainty, timeScale),
        purchase: { reference: ['order_id'] },
        webhookOf: orderWebhook,
        sendsWebhook,
        // The provider sends no event for an order that nobody paid.
        notifiesOf: ['succeeded'],
      },
      payout: {
        ...common,
        ...paypal.payout,
        workflowType: 'walletPayout',
        flow: 'disbursement',
        policy: payouts,
        uncertainty: scaleUncertaintyPolicy(payoutUncertainty, timeScale),
        remind: (payment, n) => claimMail(payment, payouts.queuedMaxMs ?? 0, n),
        webhookOf: payoutWebhook,
        sendsWebhook,
      },
      refund: {
        ...common,
        ...paypal.refund,
        workflowType: 'walletRefund',
        flow: 'disbursement',
        answersWhenWritten: true,
        isShownWithDeposit: true,
        readNotification: ({ body }) => refundUnverifiedOf(body),
        policy: scalePolicy(refundPolicy, timeScale),
        uncertainty: scaleUncertaintyPolicy(refundUncertainty, timeScale),
        webhookOf: refundWebhook,
        sendsWebhook,
        // The provider sends no event for a failed refund.
        notifiesOf: ['succeeded'],
      },
    },
    description: walletpayDescription,
    endpoints: (api) => walletpayEndpoints(api, { landingUrl: `${publicUrl}${landingPath}`, refund }),
    notificationRoutes: (api) => walletpayNotifications(api, paypal.verifyWebhook),
    matchNotification,
    checkups: () => [paypal.checkups(`${publicUrl}${webhookPath}`)],
  };
}

export const walletpay: RailDefinition = {
  name,
  title: 'Wallet checkout',
  portalName: { en: 'online wallet', sw: 'pochi ya mtandaoni' },
  float: { perCountry: false },
  payoutForm: {
    recipient: 'recipient_email',
    reference: 'order_id',
    message: 'note',
    needed: ['recipient_email', 'amount', 'currency', 'order_id'],
    columns: ['recipient_email', 'amount', 'currency', 'order_id', 'note'],
    example: ['amina@example.com', '150.00', 'USD', 'SALARY-JAN-01', 'Salary of January'],
  },
  sandboxTries: [
    {
      by: 'amount_end',
      tries: [
        { value: '00', end: 'paid' },
        { value: '01', end: 'declined' },
        { value: '08', end: 'late' },
      ],
    },
    {
      by: 'receiver',
      tries: [
        { value: 'ok', end: 'paid' },
        { value: 'failed', end: 'fails' },
        { value: 'unclaimed', end: 'silent' },
      ],
    },
  ],
  keys: walletpayKeys,
  create,
};
