import { scaleInDoubt, scalePolicy, type Durations, type InDoubt } from '../../rail-kit/uncertainty';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { announces, tell } from './webhook';
import { stkDescription } from './description';
import { notificationPath, stkNotifications } from './notifications';
import { readCallback } from './providers/daraja/callback-body';
import { darajaProvider } from './providers/daraja';
import { darajaStatement } from './providers/daraja/statement';
import { stkEndpoints } from './routes';
import { readStkSettings } from './settings';
import { nextStep } from './status';

const name = 'stk';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * A prompt lives about a minute. The provider is asked from 20 s on, the prompt is given up after five minutes (three
 * where even its acceptance is unknown), looked at again after 15 minutes and a day, and may be corrected for 72 hours.
 */
const policy: Durations = {
  checksMs: [20, 35, 50, 65, 90, 120, 180, 300].map((s) => s * second),
  unknownDeadlineMs: 180 * second,
  rechecksMs: [15 * minute, 24 * hour],
  watchMs: 72 * hour,
  confirmDelaysMs: [1, 2, 5, 10, 30, 60, 300].map((s) => s * second),
};

const inDoubt: InDoubt = {
  whenAnswerLost: 'stay_unknown',
  whenSilent: () => 'time_out',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'settle_and_open_case',
  whenFailed: 'end',
  // The provider's query is reported to say "failed" for payments whose callback said "paid": the callback goes first.
  believeQueriedFailureAfterMs: 90 * second,
  believeTentativeFailureAfterMs: 30 * second,
  followHintMs: 0,
};

/** Kenyan STK push: a PIN prompt on the customer's handset, in KES. */
function create(settings: RailSettings): Rail {
  const stk = readStkSettings(settings.env);
  const daraja = darajaProvider(stk, settings, `${settings.publicUrl}${notificationPath}`);
  const push: Operation = {
    workflowType: 'stkPush',
    flow: 'collection',
    policy: scalePolicy(policy, settings.timeScale),
    inDoubt: scaleInDoubt(inDoubt, settings.timeScale),
    initiate: daraja.initiate,
    retrieveStatus: daraja.retrieveStatus,
    readNotification: daraja.readNotification,
    ...(daraja.requestReceipt && { requestReceipt: daraja.requestReceipt }),
    notificationsAreProof: false,
    purchase: {
      reference: ['order_id', 'account_reference'],
      mayBeAccount: 'account_reference',
      payer: 'phone_number',
    },
    // A receipt that was asked for proves that the provider reaches us, and not that it tells of payments.
    answersUs: ({ body }) => readCallback(body) === undefined,
    tell: (payment) => tell(payment, settings.timezone),
    announces,
  };
  return {
    name,
    refund: {
      byHand:
        'Reverse it in the organisation portal of M-PESA and take it from the wallet (malipo wallet adjust), or pay it ' +
        'back by a payout; then malipo duplicate dismiss.',
    },
    statement: darajaStatement,
    wallets: daraja.wallets ?? {
      provider: darajaStatement.provider,
      title: 'Safaricom Daraja',
      payments: darajaStatement.payments,
      cannotBeAsked:
        'Daraja tells a balance to an initiator alone (STK_INITIATOR); the M-Pesa portal shows it.',
    },
    statementSource: daraja.statementSource ?? {
      missing:
        'bring the organisation statement of the M-Pesa portal with --statement, or set STK_PULL_TRANSACTIONS where ' +
        'the account has Pull Transactions',
    },
    operations: { deposit: push },
    nextStep,
    description: stkDescription,
    endpoints: (api) => stkEndpoints(api, stk, settings.environment),
    notificationRoutes: (api) => stkNotifications(api, stk.callbackAddresses),
    checkups: () => [daraja.checkups()],
  };
}

export const stk: RailDefinition = {
  name,
  title: 'STK push',
  portalName: { en: 'M-Pesa prompt', sw: 'ombi la M-Pesa' },
  sandboxTries: [
    {
      by: 'number',
      tries: [
        { value: '254708374149', end: 'paid' },
        { value: '254711223344', end: 'no_money' },
        { value: '254722334455', end: 'declined' },
        { value: '254733445566', end: 'unreached' },
        { value: '254700000704', end: 'late' },
        { value: '254700000703', end: 'silent' },
        { value: '254700000600', end: 'person' },
      ],
    },
  ],
  create,
};
