/** Checks of an IntaSend account: its wallets (`GET wallets/` in its own Python client). */
import type { Environment } from '../../../../config';
import { attention, fault, ok, type Diagnosis } from '../../../../domain/diagnosis';
import { readAnswer, type ProviderCheckups } from '../../../../rail-kit/provider-checkups';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';
import { xbCurrencies, type IntasendSettings } from '../../settings';
import { recordOf } from './invoice';

const credentials =
  'XB_SECRET_KEY and XB_PUBLISHABLE_KEY; the IntaSend dashboard, Settings, API Keys, of this environment';

export function intasendCheckups(
  xb: IntasendSettings,
  { environment, notificationUrl }: { environment: Environment; notificationUrl: string },
  get: (path: string, timeoutMs: number) => Promise<ProviderResponse>,
): ProviderCheckups {
  return {
    title: 'IntaSend',
    baseUrl: xb.baseUrl,
    baseUrlSetting: 'XB_BASE_URL',
    documentedUrls: { sandbox: 'https://sandbox.intasend.com', live: 'https://payment.intasend.com' },
    notificationUrl,
    checkups: [
      { name: 'keys', examine: () => Promise.resolve(keys(xb, environment)) },
      {
        name: 'wallets',
        async examine({ timeoutMs }) {
          const reported = readAnswer(await get('/api/v1/wallets/', timeoutMs), credentials);
          return 'wrong' in reported ? [reported.wrong] : [wallets(reported.json)];
        },
      },
      {
        name: 'webhook',
        examine: () =>
          Promise.resolve([
            attention(
              'The provider does not report the address of its events, nor the challenge: a first push shows both.',
              `the IntaSend dashboard, Settings, Webhooks: ${notificationUrl} with the challenge of XB_CHALLENGE`,
            ),
          ]),
      },
    ],
  };
}

/** A key's prefix shows its environment: ISSecretKey_test_…, ISPubKey_live_…. */
function keys({ secretKey, publishableKey }: IntasendSettings, environment: Environment): Diagnosis[] {
  const wanted = environment === 'live' ? 'live' : 'test';
  const other = wanted === 'live' ? 'test' : 'live';
  const faults = [
    secretKey.startsWith(`ISSecretKey_${other}_`) && `XB_SECRET_KEY is a ${other} key.`,
    publishableKey.startsWith(`ISPubKey_${other}_`) && `XB_PUBLISHABLE_KEY is a ${other} key.`,
    secretKey.startsWith('ISPubKey_') && 'XB_SECRET_KEY is a publishable key.',
    publishableKey.startsWith('ISSecretKey_') &&
      'XB_PUBLISHABLE_KEY is a secret key, but it is sent in every body.',
  ].filter((sentence) => sentence !== false);
  if (faults.length > 0) return faults.map((sentence) => fault(sentence, credentials));
  return [ok(`The keys do not belong to ${other === 'live' ? 'live' : 'the sandbox'}.`)];
}

/** A page of results, or the bare list. */
function wallets(json: unknown): Diagnosis {
  const { results } = recordOf(json);
  const list = (Array.isArray(json) ? json : Array.isArray(results) ? results : []).map(recordOf);
  const held = [...new Set(list.map(({ currency }) => (typeof currency === 'string' ? currency : '')))];
  const missing = xbCurrencies.filter((currency) => !held.includes(currency));
  if (missing.length === 0) return ok(`The account has wallets in ${held.join(', ')}.`);
  return attention(
    `The account has no wallet in ${missing.join(' and ')}${held.length > 0 ? `, only in ${held.join(', ')}` : ''}.`,
    "IntaSend's support: which currencies the account may collect is agreed with IntaSend, and not documented",
  );
}
