/**
 * Checks of a PayPal app and its account: its webhook, its permissions, and its balances (Webhooks Management v1,
 * Payouts v1, Transaction Search v1).
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
/** The id of no batch: the answer shows whether the app has the permission to query batches. */
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
  const remedy = `WALLETPAY_WEBHOOK_ID and MALIPO_PUBLIC_URL; ${dashboard('Webhooks')}: ${notificationUrl}`;
  if (answer.kind === 'answered' && answer.status === 404) {
    return [
      fault(
        'The app has no webhook with our id: every event would be rejected, or no event arrives.',
        remedy,
      ),
    ];
  }
  const reported = readAnswer(answer, credentials);
  if ('wrong' in reported) return [reported.wrong];
  const { url, event_types: types } = recordOf(reported.json);
  return [
    url === notificationUrl
      ? ok(`The webhook leads to ${notificationUrl}.`)
      : fault(`The webhook leads to ${textOf(url)}, but the service listens at ${notificationUrl}.`, remedy),
    eventTypes(listOf(types)),
  ];
}

/** A webhook for `*` gets every event. */
function eventTypes(listed: Record<string, unknown>[]): Diagnosis {
  const enabled = listed.filter(({ status }) => status === undefined || status === 'ENABLED');
  const reported = new Set(enabled.map(({ name }) => textOf(name)));
  const missing = reported.has('*') ? [] : providerEventTypes.filter((name) => !reported.has(name));
  if (missing.length === 0) return ok('The webhook gets every event that the service handles.');
  const sentence = `The webhook does not get: ${missing.join(', ')}.`;
  const remedy = `${dashboard('Webhooks')}, the webhook, Edit: these event types, or all of them`;
  return missing.length === providerEventTypes.length ? fault(sentence, remedy) : attention(sentence, remedy);
}

function payouts(answer: PaypalAnswer): Diagnosis {
  if (answer.kind === 'answered' && answer.status === 403) {
    return fault(
      'The app may not make payouts.',
      `${dashboard('Features, Payouts')}; in live the provider grants it to a business account on request`,
    );
  }
  if (answer.kind === 'answered' && answer.status === 404) return ok('The app may query payouts.');
  const reported = readAnswer(answer, credentials);
  return 'wrong' in reported ? reported.wrong : ok('The app may query payouts.');
}

/** This needs a permission of its own. Without it only the balances are missing. */
function balances(answer: PaypalAnswer): Diagnosis {
  const remedy = 'the balance at paypal.com: payouts are paid from it';
  if (answer.kind === 'answered' && answer.status === 403) {
    return attention(
      'The app may not read its balances, so an empty wallet cannot be detected.',
      `${dashboard('Features, Transaction search')}, or ${remedy}`,
    );
  }
  const reported = readAnswer(answer, credentials);
  if ('wrong' in reported) return reported.wrong;
  const list = listOf(recordOf(reported.json)['balances']).map((each) => recordOf(each['available_balance']));
  const amounts = list.map(({ value, currency_code: code }) => `${textOf(value)} ${textOf(code)}`).join(', ');
  if (list.some(({ value }) => Number(value) > 0)) return ok(`The wallet has ${amounts}.`);
  return attention(
    amounts === '' ? 'The account has no balance.' : `The wallet is empty: ${amounts}.`,
    remedy,
  );
}
