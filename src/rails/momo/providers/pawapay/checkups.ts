/**
 * What pawaPay tells of an account: its active configuration, its wallets and the keys that it signs with (Merchant API
 * v2, Toolkit and Finances).
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

export function pawapayCheckups(momo: MomoSettings, ask: Ask, notificationUrl: string): ProviderCheckups {
  /** Reads one of the provider's tables. What is wrong with the answer is the diagnosis. */
  const reading = (name: string, path: string, read: (json: unknown) => Diagnosis[]): ProviderCheckup => ({
    name,
    async examine({ timeoutMs }) {
      const told = readAnswer(await ask('checkup', 'GET', path, undefined, timeoutMs), credentials);
      return 'wrong' in told ? [told.wrong] : read(told.json);
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

/** What the account may do with one network in one currency. */
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
        'the contract with pawaPay: what it does not list is refused',
      );
}

/** A word that we do not know is treated as closed, as directory.ts does. */
function closed(types: OperationType[]): Diagnosis[] {
  const shut = types.filter(({ settings }) => settings['status'] !== 'OPERATIONAL');
  if (shut.length === 0) return [ok('Every network of the account is operational.')];
  const names = shut.map(
    ({ provider, operation, settings }) => `${provider} ${operation} ${textOf(settings['status'])}`,
  );
  return [
    attention(
      `Not operational: ${names.join(', ')}.`,
      `nothing, where a network is out of order for a while (status.pawapay.io); else ${dashboard('Providers')}`,
    ),
  ];
}

/** Set once per account and operation. The signature of a callback covers the address, so that another does not do. */
function callbackUrls(types: OperationType[], notificationUrl: string): Diagnosis[] {
  const mend = `${dashboard('Callback URLs')}, and MALIPO_PUBLIC_URL: ${notificationUrl} for deposits, payouts and refunds`;
  const told = types.filter(({ settings }) => 'callbackUrl' in settings);
  if (told.length === 0) return [attention('The provider does not tell where it notifies us.', mend)];
  const wrong = new Map<string, Set<string>>();
  for (const { operation, settings } of told) {
    const url = textOf(settings['callbackUrl']);
    if (url !== notificationUrl) wrong.set(operation, (wrong.get(operation) ?? new Set()).add(url));
  }
  if (wrong.size === 0) return [ok(`It notifies us at ${notificationUrl}.`)];
  return [...wrong].map(([operation, urls]) => {
    const places = [...urls].map((url) => (url === '' ? 'nowhere' : url)).join(', ');
    return fault(`A ${operation} is notified to ${places}, and we listen at ${notificationUrl}.`, mend);
  });
}

function signatures({ signedCallbacks, signedRequestsOnly }: Json, momo: MomoSettings): Diagnosis[] {
  const found: Diagnosis[] = [];
  if (momo.signedCallbacks && signedCallbacks === false) {
    found.push(
      fault(
        'The account does not sign its callbacks, and we refuse those without a signature.',
        `${dashboard('API tokens')}, signed callbacks on (or MOMO_SIGNED_CALLBACKS off, in the sandbox)`,
      ),
    );
  }
  if (!momo.signedCallbacks && signedCallbacks === true) {
    found.push(
      attention(
        'The account signs its callbacks, and we do not look at the signatures.',
        'MOMO_SIGNED_CALLBACKS',
      ),
    );
  }
  if (signedRequestsOnly === true && !momo.requestKey) {
    found.push(
      fault(
        'The account takes signed instructions only, and we have no key to sign with.',
        `MOMO_REQUEST_KEY_ID and MOMO_REQUEST_KEY; ${dashboard('API tokens')} has the public half`,
      ),
    );
  }
  if (signedRequestsOnly === false && momo.requestKey) {
    found.push(
      attention(
        'We sign our instructions, and the account takes unsigned ones, too: a stolen token would do.',
        `${dashboard('API tokens')}, only accept signed requests`,
      ),
    );
  }
  return found.length > 0 ? found : [ok('The account and our settings agree on what is signed.')];
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
  const mend = "pawaPay's support: our settings have no part in this";
  return signedCallbacks ? fault(sentence, mend) : attention(sentence, mend);
}

function isPublicKey(pem: string): boolean {
  try {
    createPublicKey(pem);
    return true;
  } catch {
    return false;
  }
}

/** Payouts and refunds are paid out of them. Balances are decimal texts. */
function wallets(json: unknown): Diagnosis {
  const balances = listOf(recordOf(json)['balances']);
  const mend = 'the pawaPay dashboard, Finances, Wallets: top up where payouts or refunds are to be made';
  if (balances.length === 0)
    return attention('The account has no wallet: payouts and refunds are refused.', mend);
  const told = ({ country, currency, balance }: Json) =>
    `${textOf(country)} ${textOf(balance)} ${textOf(currency)}`;
  const empty = balances.filter(({ balance }) => !(Number(balance) > 0));
  if (empty.length > 0) {
    return attention(`Empty wallets, out of which nothing is paid: ${empty.map(told).join(', ')}.`, mend);
  }
  return ok(`No wallet is empty: ${balances.map(told).join(', ')}.`);
}
