/**
 * What PayPal tells of an app and its account: its webhook, what it may do, and what the wallet holds (Webhooks
 * Management v1, Payouts v1, Transaction Search v1).
 */
import { attention, fault, ok, type Diagnosis } from '../../../../domain/diagnosis';
import {
  readAnswer,
  type ProviderCheckup,
  type ProviderCheckups,
} from '../../../../rail-kit/provider-checkups';
import type { ProviderCall } from '../../../../rail-kit/rail';
import { providerEventTypes } from '../../events';
import type { WalletpaySettings } from '../../settings';
import type { Ask, PaypalAnswer } from './calls';
import { listOf, recordOf, textOf } from './wire';

const dashboard = (page: string) => `developer.paypal.com, Apps & Credentials, the app, ${page}`;
const credentials = `WALLETPAY_CLIENT_ID and WALLETPAY_CLIENT_SECRET; ${dashboard('of this environment')}`;
/** Of no batch: whoever may ask is told that there is none, whoever may not is told that. */
const noBatch = 'MALIPO-DOCTOR';

export function paypalCheckups(
  settings: WalletpaySettings,
  begin: (call: ProviderCall) => Ask,
  notificationUrl: string,
): ProviderCheckups {
  const reading = (
    name: string,
    path: string,
    read: (answer: PaypalAnswer) => Diagnosis[],
  ): ProviderCheckup => ({
    name,
    examine: async (call) => read(await begin(call)({ call: 'checkup', method: 'GET', path })),
  });
  return {
    title: 'PayPal',
    baseUrl: settings.baseUrl,
    baseUrlSetting: 'WALLETPAY_BASE_URL',
    documentedUrls: { sandbox: 'https://api-m.sandbox.paypal.com', live: 'https://api-m.paypal.com' },
    notificationUrl,
    checkups: [
      reading('webhook', `/v1/notifications/webhooks/${encodeURIComponent(settings.webhookId)}`, (answer) =>
        webhook(answer, notificationUrl),
      ),
      reading('payouts', `/v1/payments/payouts/${noBatch}`, (answer) => [payouts(answer)]),
      reading('balances', '/v1/reporting/balances', (answer) => [balances(answer)]),
    ],
  };
}

function webhook(answer: PaypalAnswer, notificationUrl: string): Diagnosis[] {
  const mend = `WALLETPAY_WEBHOOK_ID and MALIPO_PUBLIC_URL; ${dashboard('Webhooks')}: ${notificationUrl}`;
  if (answer.kind === 'answered' && answer.status === 404) {
    return [
      fault('The app has no webhook with our id: every event would be refused, or none comes at all.', mend),
    ];
  }
  const told = readAnswer(answer, credentials);
  if ('wrong' in told) return [told.wrong];
  const { url, event_types: types } = recordOf(told.json);
  return [
    url === notificationUrl
      ? ok(`The webhook leads to ${notificationUrl}.`)
      : fault(`The webhook leads to ${textOf(url)}, and we listen at ${notificationUrl}.`, mend),
    eventTypes(listOf(types)),
  ];
}

/** A webhook for `*` is told everything. */
function eventTypes(listed: Record<string, unknown>[]): Diagnosis {
  const enabled = listed.filter(({ status }) => status === undefined || status === 'ENABLED');
  const told = new Set(enabled.map(({ name }) => textOf(name)));
  const missing = told.has('*') ? [] : providerEventTypes.filter((name) => !told.has(name));
  if (missing.length === 0) return ok('It is told every event that we handle.');
  const sentence = `It is not told: ${missing.join(', ')}.`;
  const mend = `${dashboard('Webhooks')}, the webhook, Edit: these event types, or all of them`;
  return missing.length === providerEventTypes.length ? fault(sentence, mend) : attention(sentence, mend);
}

function payouts(answer: PaypalAnswer): Diagnosis {
  if (answer.kind === 'answered' && answer.status === 403) {
    return fault(
      'The app may not make payouts.',
      `${dashboard('Features, Payouts')}; in live the provider grants it to a business account that asks for it`,
    );
  }
  if (answer.kind === 'answered' && answer.status === 404) return ok('The app may ask about payouts.');
  const told = readAnswer(answer, credentials);
  return 'wrong' in told ? told.wrong : ok('The app may ask about payouts.');
}

/** A permission of its own, and only for this: without it nothing but the balances is missing. */
function balances(answer: PaypalAnswer): Diagnosis {
  const mend = 'the balance at paypal.com: payouts are paid out of it';
  if (answer.kind === 'answered' && answer.status === 403) {
    return attention(
      'The app may not read its balances, so that an empty wallet cannot be told.',
      `${dashboard('Features, Transaction search')}, or ${mend}`,
    );
  }
  const told = readAnswer(answer, credentials);
  if ('wrong' in told) return told.wrong;
  const list = listOf(recordOf(told.json)['balances']).map((each) => recordOf(each['available_balance']));
  const amounts = list.map(({ value, currency_code: code }) => `${textOf(value)} ${textOf(code)}`).join(', ');
  if (list.some(({ value }) => Number(value) > 0)) return ok(`The wallet has ${amounts}.`);
  return attention(amounts === '' ? 'The account has no balance.' : `The wallet is empty: ${amounts}.`, mend);
}
