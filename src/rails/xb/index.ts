import { ConfigError } from '../../config';
import type { HandsetCollections } from '../../rail-kit/handset-collections';
import { scalePolicy, type Durations, type UncertaintyPolicy } from '../../rail-kit/uncertainty';
import { referenceOf } from '../../rail-kit/provider-events';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { sendsWebhook, webhookOf } from './webhook';
import { xbDescription } from './description';
import { intasendDraft, pawapayDraft } from './drafts';
import { matchNotification, notificationPath, xbNotifications } from './notifications';
import { absentProvider } from '../../rail-kit/provider-http';
import { intasendProvider } from './providers/intasend';
import { intasendStatement } from './providers/intasend/statement';
import { pawapayPushes } from './providers/pawapay';
import { alpha3Of, type XbPushInput } from './requests';
import { invoiceIdOf } from './responses';
import { xbEndpoints } from './routes';
import { readXbSettings, xbCurrencies, xbKeys } from './settings';
import { nextStep } from './status';

const name = 'xb';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The provider is polled from 10 s on, less and less often for a day. Then an operator decides about an open payment. A
 * collection whose submission got no answer, and that is not found by our reference, ends after half an hour. An
 * operator is asked to look for it, and a later success still corrects it.
 */
const policy: Durations = {
  version: 1,
  checksMs: [
    ...[10, 20, 30, 45, 60, 90].map((s) => s * second),
    ...[2, 3, 5, 10, 15, 30].map((m) => m * minute),
    ...Array.from({ length: 24 }, (_, i) => (i + 1) * hour),
  ],
  unknownDeadlineMs: 30 * minute,
  rechecksMs: [],
  watchMs: 72 * hour,
  confirmDelaysMs: [1, 2, 5, 10, 30, 60, 300].map((s) => s * second),
};

const uncertainty: Omit<UncertaintyPolicy, 'onTimeout'> = {
  whenAnswerLost: 'stay_unknown',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'settle_and_open_case',
  whenFailed: 'end',
  trustQueriedFailureAfterMs: 0,
  trustTentativeFailureAfterMs: 0,
  followUnverifiedMs: 0,
};

/**
 * Handset prompts in Uganda (UGX) and Tanzania (TZS), each through its configured provider.
 * @param collections the mobile money account, if there is one.
 * @throws ConfigError if a country's provider has no account.
 */
function create(settings: RailSettings, collections: HandsetCollections | undefined): Rail {
  const { providers, intasend: account } = readXbSettings(settings.env);
  const collectedIn = xbCurrencies.flatMap((currency) =>
    providers[currency] === 'pawapay' ? [alpha3Of[currency]] : [],
  );
  const usesCollections = collectedIn.length > 0;
  if (usesCollections && !collections) {
    throw new ConfigError('MOMO_TOKEN must be set where XB_PROVIDER_UGX or XB_PROVIDER_TZS is pawapay');
  }
  const intasend = account && intasendProvider(account, settings);
  const common = {
    workflowType: 'xbPush',
    flow: 'collection',
    purchase: { reference: ['account_reference'], payer: 'phone_number', nameOf: invoiceIdOf },
    webhookOf,
    sendsWebhook,
  } as const satisfies Partial<Operation>;
  const {
    checkups: intasendCheckups,
    wallets,
    statementSource,
    ...intasendActions
  } = intasend ?? absentProvider('IntaSend');
  const throughIntasend: Operation = {
    ...common,
    ...intasendActions,
    policy: scalePolicy(policy, settings.timeScale),
    notificationsAreTrusted: false,
    uncertainty: {
      ...uncertainty,
      onTimeout: ({ provider_reference: known }, answer) =>
        // A provider that cannot be queried has not been silent.
        intasend && known === null && (answer === undefined || referenceOf(answer) === undefined)
          ? 'time_out'
          : 'ask_operator',
    },
  };
  const { unknownDeadlineMs: _, ...policyOfKnown } = policy;
  const throughCollections: Operation = {
    ...common,
    ...(collections
      ? { ...pawapayPushes(collections), account: collections.account }
      : absentProvider('pawaPay')),
    // The provider knows our id from the start, so the service always queries before it gives a payment up.
    policy: scalePolicy({ ...policyOfKnown, version: 2 }, settings.timeScale),
    notificationsAreTrusted: collections?.notificationsAreTrusted ?? false,
    uncertainty: { ...uncertainty, onTimeout: () => 'ask_operator' },
  };
  async function begin(input: XbPushInput) {
    const { currency, amount: amountMinor, phone_number: phoneDigits } = input;
    if (providers[currency] === 'intasend' || !collections) return intasendDraft(input);
    const asked = { country: alpha3Of[currency], currency, amountMinor, phoneDigits };
    return pawapayDraft(input, collections.provider, await collections.networkOf(asked));
  }
  return {
    name,
    nextStep,
    refund: {
      byHand:
        'Refund it in the dashboard of the provider and debit the wallet (malipo wallet adjust), or pay it back ' +
        'by a payout; then malipo duplicate dismiss.',
    },
    statement: intasendStatement,
    ...(wallets && { wallets }),
    statementSource: statementSource ?? {
      missing:
        "no account at IntaSend is configured; payments through pawaPay are in mobile money's statement",
    },
    operations: { deposit: throughIntasend },
    operationsOf: { pawapay: { deposit: throughCollections } },
    description: xbDescription,
    endpoints: (api) => xbEndpoints(api, begin),
    notificationRoutes: (api) => [
      ...(account ? xbNotifications(api, account) : []),
      ...(collections ? [collections.notificationRoute(api, `${notificationPath}/pawapay`)] : []),
    ],
    matchNotification: async (db, body) =>
      (await matchNotification(db, body)) ?? (await collections?.matchNotification(db, body)),
    checkups: () => [
      ...(intasendCheckups ? [intasendCheckups(`${settings.publicUrl}${notificationPath}`)] : []),
      ...(collections && usesCollections ? [collections.checkups(collectedIn)] : []),
    ],
  };
}

/** @param collectionsOf the mobile money account, if there is one. */
export const xb = (
  collectionsOf: (settings: RailSettings) => HandsetCollections | undefined,
): RailDefinition => ({
  name,
  title: 'Cross-border',
  portalName: { en: 'cross-border', sw: 'kuvuka mipaka' },
  sandboxTries: [
    {
      by: 'number_end',
      tries: [
        { value: '789', end: 'paid' },
        { value: '049', end: 'no_money' },
        { value: '032', end: 'declined' },
        { value: '702', end: 'late' },
        { value: '129', end: 'silent' },
      ],
    },
  ],
  keys: xbKeys,
  create: (settings) => create(settings, collectionsOf(settings)),
});
