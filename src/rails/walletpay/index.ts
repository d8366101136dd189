import { payingOut } from '../../payments/create/bulk/endpoints';
import { scaleInDoubt, scalePolicy, type Durations, type InDoubt } from '../../rail-kit/uncertainty';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { walletpayBulk } from './bulk';
import { announces, tellOrder, tellPayout, tellRefund } from './webhook';
import { walletpayDescription } from './description';
import { claimMail } from './claim-mail';
import { hintOf, refundHintOf } from './events';
import { landingPath, matchNotification, walletpayNotifications, webhookPath } from './notifications';
import { paypalProvider } from './providers/paypal';
import { paypalStatement } from './providers/paypal/statement';
import { refundWithin } from './refund';
import { payoutRules, walletpayEndpoints } from './routes';
import { readWalletpaySettings } from './settings';
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
 * What was paid may go back for 180 days, the provider's time for refunds of orders and of payouts alike. Events may be
 * lost, so that it is looked at for as long; in between it costs a row.
 */
const givenBackChecksMs = [1, 7, 30, 60, 90, 120, 180].map((d) => d * day);

/**
 * An order lives for six hours. A capture that the provider looks into is followed on: hourly for a day, then daily
 * for ten; what is open then is an operator's question.
 */
const orderPolicy: Durations = {
  checksMs: [...[2, 5, 10, 20, 40].map((m) => m * minute), ...[1, 2, 3, 6].map((h) => h * hour)],
  rechecksMs: [...every(hour, 6 * hour, 30 * hour), ...every(day, 30 * hour, 30 * hour + 10 * day)],
  watchMs: 30 * hour + 10 * day + minute,
  confirmDelaysMs,
  afterSuccessChecksMs: givenBackChecksMs,
  // A chargeback, or a dispute, takes days to show; the sweeper sees to these looks.
  afterWarningChecksMs: [hour, ...every(day, 0, 10 * day)],
};

/**
 * A payout settles in seconds, or waits for its recipient: thirty days, then it is cancelled at the provider. Whatever
 * is open after thirty-two is an operator's question. One that was paid may come back, and a reversal has no event.
 */
const payoutPolicy: Durations = {
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
  afterSuccessChecksMs: givenBackChecksMs,
};

/**
 * A refund is done at once, and its event tells; one out of the seller's bank (ECHECK) takes days, and no event tells that
 * it has failed. What is open after thirty days is an operator's question, and still asked about.
 */
const refundPolicy: Durations = {
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

const orderInDoubt: InDoubt = {
  whenAnswerLost: 'send_anew',
  // Only an order that is known not to be paid is over.
  whenSilent: ({ details }, answer) =>
    answer?.kind === 'open' && details['capture_id'] === undefined ? 'time_out' : 'wait',
  silenceText: 'The order was not approved and paid in time',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'open_case',
  whenFailed: 'end',
  believeQueriedFailureAfterMs: 0,
  // An order that the provider does not find is asked for once more before that counts.
  believeTentativeFailureAfterMs: minute,
  // The provider's own answer may not show yet what an event tells of.
  followHintMs: 2 * minute,
};

const payoutInDoubt: InDoubt = {
  ...orderInDoubt,
  whenAnswerLost: 'stay_unknown',
  whenSilent: () => 'ask_operator',
  whenSuccessIsLate: 'open_case',
  believeTentativeFailureAfterMs: 0,
};

const refundInDoubt: InDoubt = {
  ...payoutInDoubt,
  // A repeated refusal is not believed at once: what was sent before it may still arrive.
  believeTentativeFailureAfterMs: minute,
};

/** Wallet checkout: orders that a buyer approves and we capture, refunds of them, and payouts to an e-mail address. */
function create(settings: RailSettings): Rail {
  const { timeScale, publicUrl } = settings;
  const paypal = paypalProvider(readWalletpaySettings(settings.env, settings.environment), settings);
  const common = {
    notificationsAreProof: false,
    readNotification: ({ body }) => hintOf(body),
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
        inDoubt: scaleInDoubt(orderInDoubt, timeScale),
        purchase: { reference: ['order_id'] },
        tell: tellOrder,
        announces,
        // An order that nobody paid ends unheard.
        notifiesOf: ['succeeded'],
      },
      payout: {
        ...common,
        ...paypal.payout,
        workflowType: 'walletPayout',
        flow: 'disbursement',
        policy: payouts,
        inDoubt: scaleInDoubt(payoutInDoubt, timeScale),
        remind: (payment, n) => claimMail(payment, payouts.queuedMaxMs ?? 0, n),
        tell: tellPayout,
        announces,
      },
      refund: {
        ...common,
        ...paypal.refund,
        workflowType: 'walletRefund',
        flow: 'disbursement',
        answersWhenWritten: true,
        isShownWithDeposit: true,
        readNotification: ({ body }) => refundHintOf(body),
        policy: scalePolicy(refundPolicy, timeScale),
        inDoubt: scaleInDoubt(refundInDoubt, timeScale),
        tell: tellRefund,
        announces,
        // Of a refund that has failed no event tells.
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
  create,
};
