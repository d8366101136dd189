import {
  scalePolicy,
  scaleUncertaintyPolicy,
  type Durations,
  type UncertaintyPolicy,
} from '../../rail-kit/uncertainty';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { sendsWebhook, webhookOf } from './webhook';
import { toyDescription } from './description';
import { notificationPath, toyNotifications } from './notifications';
import { toybankProvider } from './providers/toybank';
import { toyEndpoints } from './routes';
import { readToySettings, toyKeys } from './settings';
import { nextStep } from './status';

const name = 'toy';

const second = 1_000;
const hour = 3_600 * second;

/** We query the bank for a day. Then an operator decides about an open payment. */
const policy: Durations = {
  version: 1,
  checksMs: [10 * second, 60 * second, hour, 24 * hour],
  rechecksMs: [],
  watchMs: 72 * hour,
  confirmDelaysMs: [1, 5, 30].map((s) => s * second),
};

const uncertainty: UncertaintyPolicy = {
  whenAnswerLost: 'stay_unknown',
  onTimeout: () => 'ask_operator',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'settle_and_open_case',
  whenFailed: 'end',
  trustQueriedFailureAfterMs: 0,
  trustTentativeFailureAfterMs: 0,
  followUnverifiedMs: 0,
};

function create(settings: RailSettings): Rail {
  const toy = readToySettings(settings.env);
  const deposit: Operation = {
    ...toybankProvider(toy, settings),
    readNotification: () => ({ kind: 'unverified', text: 'changed' }),
    workflowType: 'toyCollection',
    flow: 'collection',
    policy: scalePolicy(policy, settings.timeScale),
    uncertainty: scaleUncertaintyPolicy(uncertainty, settings.timeScale),
    notificationsAreTrusted: false,
    purchase: { reference: ['order_id'], payer: 'phone_number' },
    webhookOf,
    sendsWebhook,
  };
  return {
    name,
    operations: { deposit },
    description: toyDescription,
    nextStep,
    endpoints: toyEndpoints,
    notificationRoutes: toyNotifications,
    refund: { byHand: 'Pay it back from the toy bank, then malipo duplicate dismiss.' },
    checkups: () => [
      {
        title: 'Toy bank',
        baseUrl: toy.TOY_BASE_URL,
        baseUrlSetting: 'TOY_BASE_URL',
        documentedUrls: { sandbox: 'https://sandbox.toybank.example', live: 'https://toybank.example' },
        notificationUrl: `${settings.publicUrl}${notificationPath}`,
        checkups: [],
      },
    ],
  };
}

export const toy: RailDefinition = {
  name,
  title: 'Toy bank',
  portalName: { en: 'toy bank', sw: 'benki ya mchezo' },
  sandboxTries: [
    {
      by: 'number',
      tries: [
        { value: '254700000001', end: 'paid' },
        { value: '254700000002', end: 'declined' },
      ],
    },
  ],
  keys: toyKeys,
  create,
};
