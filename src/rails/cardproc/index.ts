import type { Finding } from '../../domain/outcome';
import { scaleInDoubt, scalePolicy, type Durations, type InDoubt } from '../../rail-kit/uncertainty';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { announces, tell } from './webhook';
import { cardprocDescription } from './description';
import { billingDetail } from './drafts';
import { callbackPath, cardprocNotifications, notificationPath } from './notifications';
import { pesapalProvider } from './providers/pesapal';
import { pesapalStatement } from './providers/pesapal/statement';
import { cardprocEndpoints } from './routes';
import { readCardprocSettings } from './settings';
import { isFollowed, nextStep } from './status';

const name = 'cardproc';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * The processor is asked more and more rarely for a day; an order that nobody has paid then is INVALID, and looked at
 * for two more days in case a page was still open. What was paid is looked at for a month, because it may be reversed.
 */
const policy: Durations = {
  checksMs: [
    ...[1, 2, 3, 5, 10, 20, 30].map((m) => m * minute),
    ...[1, 2, 4, 8, 12, 24].map((h) => h * hour),
  ],
  rechecksMs: [36, 48].map((h) => h * hour),
  watchMs: 72 * hour,
  confirmDelaysMs: [5, 5, 10, 10, 30, 60, 300].map((s) => s * second),
  afterSuccessChecksMs: [1, 3, 7, 14, 30].map((d) => d * day),
};

/** How often a merchant that polls makes us ask. */
const askedEveryMs = 10 * second;

/** An order moves no money before its page is opened, and its page takes another card after one that was declined. */
const inDoubt: InDoubt = {
  whenAnswerLost: 'send_anew',
  whenSilent: () => 'time_out',
  silenceText: 'The provider reported no payment of the order in time',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'open_case',
  whenFailed: 'go_on_checking',
  believeQueriedFailureAfterMs: 0,
  believeTentativeFailureAfterMs: 0,
  // A notification may be earlier than the status call knows of the change.
  followHintMs: minute,
};

const changed: Finding = { kind: 'hint', text: 'IPNCHANGE' };

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
    inDoubt: scaleInDoubt(inDoubt, timeScale),
    forgottenOnceInstructed: [billingDetail],
    notificationsAreProof: false,
    // What is kept tells neither a notification from a customer's way back, nor one that came after we had asked from a
    // stranger's: whether they come cannot be judged.
    notifiesOf: [],
    purchase: { reference: ['order_id'], nameOf: ({ provider_reference: id }) => id ?? undefined },
    tell,
    announces,
  };
  const followedMs = policy.watchMs / timeScale;
  return {
    name,
    nextStep: (payment) => nextStep(payment, isFollowed(payment, followedMs)),
    refund: {
      byHand:
        'Refund all of it in the dashboard of the processor: the wallet is debited, and the case closes, by itself.',
    },
    statement: pesapalStatement,
    wallets: {
      provider: pesapalStatement.provider,
      title: 'Pesapal',
      payments: pesapalStatement.payments,
      cannotBeAsked: 'Pesapal has no call that tells a balance (API 3.0); its dashboard does.',
    },
    statementSource: {
      missing: 'Pesapal has no API for it: bring the merchant statement of its dashboard with --statement',
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
  create,
};
