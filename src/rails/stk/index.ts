import {
  scaleUncertaintyPolicy,
  scalePolicy,
  type Durations,
  type UncertaintyPolicy,
} from '../../rail-kit/uncertainty';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { sendsWebhook, webhookOf } from './webhook';
import { stkDescription } from './description';
import { notificationPath, stkNotifications } from './notifications';
import { readCallback } from './providers/daraja/notification-body';
import { darajaProvider } from './providers/daraja';
import { darajaStatement } from './providers/daraja/statement';
import { stkEndpoints } from './routes';
import { readStkSettings, stkKeys } from './settings';
import { nextStep } from './status';

const name = 'stk';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * A prompt lives about a minute. The provider is polled from 20 s on. The service ends the prompt after five minutes
 * (three if even its submission is unknown), polls again after 15 minutes and a day, and accepts corrections for 72
 * hours.
 */
const policy: Durations = {
  version: 1,
  checksMs: [20, 35, 50, 65, 90, 120, 180, 300].map((s) => s * second),
  unknownDeadlineMs: 180 * second,
  rechecksMs: [15 * minute, 24 * hour],
  watchMs: 72 * hour,
  confirmDelaysMs: [1, 2, 5, 10, 30, 60, 300].map((s) => s * second),
};

const uncertainty: UncertaintyPolicy = {
  whenAnswerLost: 'stay_unknown',
  onTimeout: () => 'time_out',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'settle_and_open_case',
  whenFailed: 'end',
  // Sources say that the provider's query may return "failed" for payments whose callback said "paid". So the callback
  // has priority.
  trustQueriedFailureAfterMs: 90 * second,
  trustTentativeFailureAfterMs: 30 * second,
  followUnverifiedMs: 0,
};

/** Kenyan STK push: a PIN prompt on the customer's handset, in KES. */
function create(settings: RailSettings): Rail {
  const stk = readStkSettings(settings.env);
  const daraja = darajaProvider(stk, settings, `${settings.publicUrl}${notificationPath}`);
  const push: Operation = {
    workflowType: 'stkPush',
    flow: 'collection',
    policy: scalePolicy(policy, settings.timeScale),
    uncertainty: scaleUncertaintyPolicy(uncertainty, settings.timeScale),
    initiate: daraja.initiate,
    retrieveStatus: daraja.retrieveStatus,
    readNotification: daraja.readNotification,
    ...(daraja.requestReceipt && { requestReceipt: daraja.requestReceipt }),
    notificationsAreTrusted: false,
    purchase: {
      reference: ['order_id', 'account_reference'],
      mayBeAccount: 'account_reference',
      payer: 'phone_number',
    },
    // A requested receipt proves that the provider can reach us, but not that it notifies of payments.
    answersUs: ({ body }) => readCallback(body) === undefined,
    webhookOf: (payment) => webhookOf(payment, settings.timezone),
    sendsWebhook,
  };
  return {
    name,
    refund: {
      byHand:
        'Reverse it in the organisation portal of M-PESA and debit the wallet (malipo wallet adjust), or pay it ' +
        'back by a payout; then malipo duplicate dismiss.',
    },
    statement: darajaStatement,
    wallets: daraja.wallets ?? {
      provider: darajaStatement.provider,
      title: 'Safaricom Daraja',
      payments: darajaStatement.payments,
      cannotBeAsked:
        'Daraja returns a balance only to an initiator (STK_INITIATOR); the M-Pesa portal shows it.',
    },
    statementSource: daraja.statementSource ?? {
      missing:
        'use the organisation statement of the M-Pesa portal with --statement, or set STK_PULL_TRANSACTIONS if ' +
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
  keys: stkKeys,
  create,
};
