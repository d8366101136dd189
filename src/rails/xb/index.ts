import { ConfigError } from '../../config';
import type { HandsetCollections } from '../../rail-kit/handset-collections';
import { scalePolicy, type Durations, type InDoubt } from '../../rail-kit/uncertainty';
import { referenceOf } from '../../rail-kit/provider-events';
import type { Operation, Rail, RailSettings } from '../../rail-kit/rail';
import type { RailDefinition } from '../../rail-kit/rail-definition';
import { announces, tell } from './webhook';
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
import { readXbSettings } from './settings';
import { nextStep } from './status';

const name = 'xb';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The provider is asked from 10 s on, more and more rarely for a day; what is still open then is an operator's
 * question. A collection whose acceptance was lost, and that is not found by our name for it, is given up after half an
 * hour: a person is asked to look for it, and a success that is notified later still corrects it.
 */
const policy: Durations = {
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

const inDoubt: Omit<InDoubt, 'whenSilent'> = {
  whenAnswerLost: 'stay_unknown',
  whenSuccessIsLate: 'correct',
  whenAmountDiffers: 'settle_and_open_case',
  whenFailed: 'end',
  believeQueriedFailureAfterMs: 0,
  believeTentativeFailureAfterMs: 0,
  followHintMs: 0,
};

/**
 * Handset prompts in Uganda (UGX) and Tanzania (TZS), each through the provider that its setting names.
 * @param collections mobile money's account, where there is one.
 * @throws ConfigError where a country's provider has no account.
 */
function create(settings: RailSettings, collections: HandsetCollections | undefined): Rail {
  const { providers, intasend: account } = readXbSettings(settings.env);
  const usesCollections = Object.values(providers).includes('pawapay');
  if (usesCollections && !collections) {
    throw new ConfigError('MOMO_TOKEN must be set where XB_PROVIDER_UGX or XB_PROVIDER_TZS is pawapay');
  }
  const intasend = account && intasendProvider(account, settings);
  const common = {
    workflowType: 'xbPush',
    flow: 'collection',
    purchase: { reference: ['account_reference'], payer: 'phone_number', nameOf: invoiceIdOf },
    tell,
    announces,
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
    notificationsAreProof: false,
    inDoubt: {
      ...inDoubt,
      whenSilent: ({ provider_reference: known }, answer) =>
        // Whoever cannot be asked has not been silent.
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
    // It knows our name for a payment from the beginning, so that none is given up unasked.
    policy: scalePolicy(policyOfKnown, settings.timeScale),
    notificationsAreProof: collections?.notificationsAreProof ?? false,
    inDoubt: { ...inDoubt, whenSilent: () => 'ask_operator' },
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
        'Refund it in the dashboard of the provider and take it from the wallet (malipo wallet adjust), or pay it back ' +
        'by a payout; then malipo duplicate dismiss.',
    },
    statement: intasendStatement,
    ...(wallets && { wallets }),
    statementSource: statementSource ?? {
      missing: "no account at IntaSend is set; what goes through pawaPay stands in mobile money's statement",
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
      ...(collections && usesCollections ? [collections.checkups()] : []),
    ],
  };
}

/** @param collectionsOf mobile money's account, where there is one. */
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
  create: (settings) => create(settings, collectionsOf(settings)),
});
