import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { alpha2ToAlpha3 } from '../../domain/countries';
import { payingOut } from '../../payments/create/bulk/endpoints';
import { scalePolicy, type Durations, type UncertaintyPolicy } from '../../rail-kit/uncertainty';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition, PayoutForm } from '../../rail-kit/rail-definition';
import { momoBulk } from './bulk';
import { sendsWebhook, webhookOf } from './webhook';
import { momoDescription } from './description';
import { preauthDetail } from './drafts';
import { landingPath, matchNotification, momoNotifications, notificationPath } from './notifications';
import { pawapayProvider } from './providers/pawapay';
import { pawapayStatement } from './providers/pawapay/statement';
import { answerFrom, askedDirectory } from './network';
import { refundThrough } from './refund';
import { momoEndpoints } from './routes';
import { momoKeys, readMomoSettings } from './settings';
import { nextStep } from './status';

/** The fields of a payout for the portal's form. */
const payoutForm: PayoutForm = {
  recipient: 'phone_number',
  reference: 'account_reference',
  message: 'customer_message',
  needed: ['phone_number', 'amount', 'currency', 'account_reference'],
  columns: [
    ...['phone_number', 'amount', 'currency', 'account_reference'],
    ...['customer_message', 'country', 'provider'],
  ],
  example: ['260763456789', '150.00', 'ZMW', 'SALARY-JAN-01', 'Salary of January', '', ''],
  /** The number determines its country. */
  read(cells, filled) {
    const phone = phoneOf(cells['phone_number'] ?? '');
    const { country } = parsePhoneNumberFromString(phone) ?? {};
    return {
      ...(country && { country: alpha2ToAlpha3(country) ?? '' }),
      ...filled,
      phone_number: phone,
      currency: (cells['currency'] ?? '').toUpperCase(),
    };
  },
};

/** Spreadsheets drop the plus of a number, and users write numbers in groups. */
function phoneOf(text: string): string {
  const digits = text.replace(/^'/, '').replace(/[\s().-]/g, '');
  const plain = digits.replace(/^00/, '+');
  return /^[1-9]\d{5,14}$/.test(plain) ? `+${plain}` : plain;
}

const name = 'momo';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) }, (_, i) => from + (i + 1) * step);

/**
 * The callback normally arrives first. Without it the provider is polled after 30 s, 1, 2, 5, 10 and 15 minutes, then
 * every 15 minutes for a day and hourly for three. Then an operator decides about a transaction that is still open: one
 * that the provider has is never failed on time alone.
 */
const checks = [
  30 * second,
  ...[1, 2, 5, 10, 15].map((m) => m * minute),
  ...every(15 * minute, 15 * minute, 24 * hour),
  ...every(hour, 24 * hour, 72 * hour),
];

const policy: Durations = {
  version: 1,
  checksMs: checks,
  rechecksMs: [],
  watchMs: 72 * hour + second,
  confirmDelaysMs: [1, 2, 5, 10, 30, 60, 300].map((s) => s * second),
};

/**
 * A payout may stay queued as long as configured. An operator decides when its cancellation should have ended it, but
 * did not.
 */
function payoutPolicy(enqueuedMaxHours: number): Durations {
  const queuedMaxMs = enqueuedMaxHours * hour;
  const lastMs = Math.max(72 * hour, queuedMaxMs) + 5 * minute;
  const checksMs = [...checks, ...every(hour, 72 * hour, lastMs), lastMs];
  return { ...policy, checksMs, watchMs: lastMs + second, queuedMaxMs };
}

/** The provider finds a transaction by our id, so the service always queries before it gives one up. */
const depositUncertainty: UncertaintyPolicy = {
  whenAnswerLost: 'stay_unknown',
  onTimeout: () => 'ask_operator',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'settle_and_open_case',
  whenFailed: 'end',
  trustQueriedFailureAfterMs: 0,
  trustTentativeFailureAfterMs: 0,
  followUnverifiedMs: 0,
};
const outgoingUncertainty: UncertaintyPolicy = { ...depositUncertainty, whenSuccessIsLate: 'open_case' };

/** Mobile money in many countries: deposits, payouts from a float, and refunds of deposits. */
function create(settings: RailSettings): Rail {
  const momo = readMomoSettings(settings.env, settings.environment);
  const pawapay = pawapayProvider(momo, settings);
  const common = {
    notificationsAreTrusted: momo.signedCallbacks,
    webhookOf,
    sendsWebhook,
  } satisfies Partial<Operation>;
  const outgoing = { ...common, flow: 'disbursement', uncertainty: outgoingUncertainty } as const;
  const directory = settings.ask ? askedDirectory(settings.ask, settings.timeScale) : pawapay.directory;
  const refund = refundThrough(directory);
  return {
    name,
    nextStep,
    refund,
    payOut: payingOut(() => momoBulk(directory)),
    statement: { ...pawapayStatement, fileIsOneWallet: true },
    wallets: pawapay.wallets,
    statementSource: pawapay.statementsTo(`${settings.publicUrl}${notificationPath}`),
    operations: {
      deposit: {
        ...common,
        ...pawapay.actionsOf('deposit'),
        workflowType: 'momoDeposit',
        flow: 'collection',
        uncertainty: depositUncertainty,
        forgottenOnceInstructed: [preauthDetail],
        purchase: {
          reference: ['account_reference'],
          mayBeAccount: 'account_reference',
          payer: 'phone_number',
        },
        policy: scalePolicy(policy, settings.timeScale),
      },
      payout: {
        ...outgoing,
        ...pawapay.actionsOf('payout'),
        workflowType: 'momoPayout',
        policy: scalePolicy(payoutPolicy(momo.enqueuedMaxHours), settings.timeScale),
      },
      refund: {
        ...outgoing,
        ...pawapay.actionsOf('refund'),
        workflowType: 'momoRefund',
        answersWhenWritten: true,
        policy: scalePolicy(policy, settings.timeScale),
      },
    },
    description: momoDescription,
    endpoints: (api) =>
      momoEndpoints(api, {
        ...{ directory, refund },
        landingUrl: `${settings.publicUrl}${landingPath}`,
      }),
    matchNotification,
    answer: (about) => answerFrom(pawapay.directory, about),
    checkups: () => [pawapay.checkups(`${settings.publicUrl}${notificationPath}`)],
    notificationRoutes: (api) =>
      momoNotifications(api, {
        publicUrl: settings.publicUrl,
        findKey: momo.signedCallbacks ? pawapay.findKey : undefined,
      }),
  };
}

export const momo: RailDefinition = {
  name,
  title: 'Mobile money',
  portalName: { en: 'mobile money', sw: 'pesa za simu' },
  float: { perCountry: true },
  payoutForm,
  sandboxTries: [
    {
      by: 'number_end',
      tries: [
        { value: '789', end: 'paid' },
        { value: '049', end: 'no_money' },
        { value: '039', end: 'declined' },
        { value: '711', end: 'late' },
        { value: '129', end: 'silent' },
      ],
    },
  ],
  keys: momoKeys,
  create,
};
