/**
 * Checks of a pawaPay account: its active configuration, its wallets and its signing keys (Merchant API v2, Toolkit and
 * Finances).
 */
import { createPublicKey } from 'node:crypto';
import { attention, fault, ok, type Diagnosis } from '../../../../domain/diagnosis';
import {
  readAnswer,
  type ProviderCheckup,
  type ProviderCheckups,
} from '../../../../rail-kit/provider-checkups';
import type { MomoSettings } from '../../settings';
import type { Ask } from './ask';
import { listOf, operationNames, operationsIn, textOf } from './directory';
import { recordOf } from './transaction';

type Json = Record<string, unknown>;

const dashboard = (page: string) => `the pawaPay dashboard, System configuration, ${page}`;
const credentials = `MOMO_TOKEN; ${dashboard('API tokens')}, a token of this environment`;

/** @param collectedIn the countries in which another rail collects through the account, in ISO 3166 alpha-3. */
export function pawapayCheckups(
  momo: MomoSettings,
  ask: Ask,
  notificationUrl: string,
  collectedIn: readonly string[] = [],
): ProviderCheckups {
  /** Reads one of the provider's tables. A fault of the answer becomes the diagnosis. */
  const reading = (name: string, path: string, read: (json: unknown) => Diagnosis[]): ProviderCheckup => ({
    name,
    async examine({ timeoutMs }) {
      const reported = readAnswer(await ask('checkup', 'GET', path, undefined, timeoutMs), credentials);
      return 'wrong' in reported ? [reported.wrong] : read(reported.json);
    },
  });
  return {
    title: 'pawaPay',
    baseUrl: momo.baseUrl,
    baseUrlSetting: 'MOMO_BASE_URL',
    documentedUrls: { sandbox: 'https://api.sandbox.pawapay.io', live: 'https://api.pawapay.io' },
    notificationUrl,
    checkups: [
      reading('active configuration', '/v2/active-conf', (json) => {
        const types = operationTypesOf(json);
        if (types.length === 0) return [fault('The account has no network at all.', dashboard('Providers'))];
        return [
          account(json, types),
          ...uncollected(types, collectedIn),
          ...closed(types),
          ...callbackUrls(types, notificationUrl),
          ...signatures(recordOf(recordOf(json)['signatureConfiguration']), momo),
        ];
      }),
      reading('public keys', '/v2/public-key/http', (json) => [publicKeys(json, momo)]),
      reading('wallets', '/v2/wallet-balances', (json) => [wallets(json)]),
    ],
  };
}

/** The permissions of the account for one network and currency. */
interface OperationType {
  /** DEPOSIT, PAYOUT or REFUND. */
  operation: string;
  provider: string;
  country: string;
  settings: Json;
}

function operationTypesOf(json: unknown): OperationType[] {
  return listOf(recordOf(json)['countries']).flatMap((country) =>
    listOf(country['providers']).flatMap((provider) =>
      listOf(provider['currencies']).flatMap((currency) =>
        operationsIn(currency['operationTypes']).map(([operation, settings]) => ({
          operation,
          provider: textOf(provider['provider']),
          country: textOf(country['country']),
          settings,
        })),
      ),
    ),
  );
}

function account(json: unknown, types: OperationType[]): Diagnosis {
  const company = textOf(recordOf(json)['companyName']);
  const networks = new Set(types.map(({ provider }) => provider)).size;
  const countries = [...new Set(types.map(({ country }) => country))].sort().join(', ');
  const lacking = Object.values(operationNames).filter(
    (name) => !types.some((type) => type.operation === name),
  );
  const has = `${company === '' ? 'The account' : company} has ${String(networks)} networks in ${countries}`;
  return lacking.length === 0
    ? ok(`${has}.`)
    : attention(
        `${has}, and none of them for ${lacking.join(' and ')}.`,
        'the contract with pawaPay: the provider rejects networks that it does not list',
      );
}

function uncollected(types: OperationType[], collectedIn: readonly string[]): Diagnosis[] {
  const deposits = types.filter(({ operation }) => operation === operationNames.deposit);
  const lacking = collectedIn.filter((wanted) => !deposits.some(({ country }) => country === wanted));
  if (lacking.length === 0) return [];
  return [
    fault(
      `The account cannot collect in ${lacking.join(' and ')}: every push there would be rejected.`,
      'the contract with pawaPay, or XB_PROVIDER_UGX and XB_PROVIDER_TZS',
    ),
  ];
}

/** An unknown status word counts as closed, as in directory.ts. */
function closed(types: OperationType[]): Diagnosis[] {
  const shut = types.filter(({ settings }) => settings['status'] !== 'OPERATIONAL');
  if (shut.length === 0) return [ok('Every network of the account is operational.')];
  const names = shut.map(
    ({ provider, operation, settings }) => `${provider} ${operation} ${textOf(settings['status'])}`,
  );
  return [
    attention(
      `Not operational: ${names.join(', ')}.`,
      `no action if a network is only temporarily out of order (status.pawapay.io); otherwise ${dashboard('Providers')}`,
    ),
  ];
}

/**
 * Configured once per account and operation. The signature of a callback covers the address, so another address does
 * not work.
 */
function callbackUrls(types: OperationType[], notificationUrl: string): Diagnosis[] {
  const remedy = `${dashboard('Callback URLs')}, and MALIPO_PUBLIC_URL: ${notificationUrl} for deposits, payouts and refunds`;
  const reported = types.filter(({ settings }) => 'callbackUrl' in settings);
  if (reported.length === 0)
    return [attention('The provider does not report the address of its notifications.', remedy)];
  const wrong = new Map<string, Set<string>>();
  for (const { operation, settings } of reported) {
    const url = textOf(settings['callbackUrl']);
    if (url !== notificationUrl) wrong.set(operation, (wrong.get(operation) ?? new Set()).add(url));
  }
  if (wrong.size === 0) return [ok(`The provider notifies us at ${notificationUrl}.`)];
  return [...wrong].map(([operation, urls]) => {
    const places = [...urls].map((url) => (url === '' ? 'nowhere' : url)).join(', ');
    return fault(
      `The provider notifies a ${operation} at ${places}, but the service listens at ${notificationUrl}.`,
      remedy,
    );
  });
}

function signatures({ signedCallbacks, signedRequestsOnly }: Json, momo: MomoSettings): Diagnosis[] {
  const found: Diagnosis[] = [];
  if (momo.signedCallbacks && signedCallbacks === false) {
    found.push(
      fault(
        'The account does not sign its callbacks, but the service rejects callbacks without a signature.',
        `${dashboard('API tokens')}, signed callbacks on (or MOMO_SIGNED_CALLBACKS off, in the sandbox)`,
      ),
    );
  }
  if (!momo.signedCallbacks && signedCallbacks === true) {
    found.push(
      attention(
        'The account signs its callbacks, but the service does not check the signatures.',
        'MOMO_SIGNED_CALLBACKS',
      ),
    );
  }
  if (signedRequestsOnly === true && !momo.requestKey) {
    found.push(
      fault(
        'The account accepts only signed requests, but the service has no signing key.',
        `MOMO_REQUEST_KEY_ID and MOMO_REQUEST_KEY; ${dashboard('API tokens')} has the public half`,
      ),
    );
  }
  if (signedRequestsOnly === false && momo.requestKey) {
    found.push(
      attention(
        'The service signs its requests, but the account also accepts unsigned ones: a stolen token would be enough to pay out.',
        `${dashboard('API tokens')}, only accept signed requests`,
      ),
    );
  }
  return found.length > 0 ? found : [ok('The account and the settings agree on signatures.')];
}

function publicKeys(json: unknown, { signedCallbacks }: MomoSettings): Diagnosis {
  const keys = listOf(json);
  const unreadable = keys.filter(({ key }) => !isPublicKey(textOf(key)));
  if (keys.length > 0 && unreadable.length === 0) {
    return ok(`Its callbacks can be verified: ${String(keys.length)} public key(s), all readable.`);
  }
  const sentence =
    keys.length === 0
      ? 'The provider lists no public key to verify its callbacks with.'
      : `These of the provider's public keys cannot be read: ${unreadable.map(({ id }) => textOf(id)).join(', ')}.`;
  const remedy = "pawaPay's support: no setting of the service causes this";
  return signedCallbacks ? fault(sentence, remedy) : attention(sentence, remedy);
}

function isPublicKey(pem: string): boolean {
  try {
    createPublicKey(pem);
    return true;
  } catch {
    return false;
  }
}

/** Payouts and refunds are paid from them. Balances are decimal texts. */
function wallets(json: unknown): Diagnosis {
  const balances = listOf(recordOf(json)['balances']);
  const remedy = 'the pawaPay dashboard, Finances, Wallets: top up where payouts or refunds are to be made';
  if (balances.length === 0) return attention('The account has no wallet: payouts and refunds fail.', remedy);
  const reported = ({ country, currency, balance }: Json) =>
    `${textOf(country)} ${textOf(balance)} ${textOf(currency)}`;
  const empty = balances.filter(({ balance }) => !(Number(balance) > 0));
  if (empty.length > 0) {
    return attention(
      `Empty wallets, from which nothing can be paid: ${empty.map(reported).join(', ')}.`,
      remedy,
    );
  }
  return ok(`No wallet is empty: ${balances.map(reported).join(', ')}.`);
}
