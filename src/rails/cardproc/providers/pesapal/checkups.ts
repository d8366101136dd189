/** Checks of a Pesapal account: the token, and the notification addresses (API 3.0, Auth and URLSetup). */
import { attention, fault, ok, type Diagnosis } from '../../../../domain/diagnosis';
import { readAnswer, type ProviderCheckups } from '../../../../rail-kit/provider-checkups';
import type { ProviderCall } from '../../../../rail-kit/rail';
import type { CardprocSettings } from '../../settings';
import type { Ask } from './calls';
import { isUsable } from './notification-address';
import { describe, faultOf, recordOf, textOf } from './wire';

const credentials =
  "CARDPROC_CONSUMER_KEY and CARDPROC_CONSUMER_SECRET; Pesapal's mail to the merchant, or its dashboard, of this environment";

export function pesapalCheckups(
  { baseUrl }: CardprocSettings,
  askFor: (call: ProviderCall) => Ask,
  notificationUrl: string,
): ProviderCheckups {
  return {
    title: 'Pesapal',
    baseUrl,
    baseUrlSetting: 'CARDPROC_BASE_URL',
    documentedUrls: {
      sandbox: 'https://cybqa.pesapal.com/pesapalv3',
      live: 'https://pay.pesapal.com/v3',
    },
    notificationUrl,
    checkups: [
      {
        name: 'notification address',
        async examine(call) {
          const answer = await askFor(call)({
            call: 'checkup',
            method: 'GET',
            path: '/api/URLSetup/GetIpnList',
          });
          const reported = readAnswer(answer, credentials);
          if ('wrong' in reported) return [reported.wrong];
          const error = faultOf(reported.json);
          if (!Array.isArray(reported.json) || error) {
            return [
              fault(`The provider does not list its addresses (${error ? describe(error) : 'no list'}).`),
            ];
          }
          return [registration(reported.json.map(recordOf), notificationUrl)];
        },
      },
      {
        name: 'payment methods',
        examine: () =>
          Promise.resolve([
            attention(
              'Pesapal does not report which currencies and methods the account accepts: the payment page of a first order shows them.',
              'an order of the smallest amount, paid by card and by mobile money',
            ),
          ]),
      },
    ],
  };
}

function registration(entries: Record<string, unknown>[], url: string): Diagnosis {
  if (entries.some((entry) => isUsable(entry, url))) return ok(`${url} is registered, and notified by POST.`);
  const known = entries.find((entry) => entry['url'] === url);
  if (known) {
    const type = textOf(known['ipn_notification_type_description']);
    const status = textOf(known['ipn_status_description']) || textOf(known['ipn_status_decription']);
    return attention(
      `${url} is registered with the wrong settings (${[type, status].filter((word) => word !== '').join(', ')}).`,
      'no action: the first order registers it again, for POST',
    );
  }
  return attention(
    `${url} is not registered; ${String(entries.length)} other address(es) are.`,
    'no action if the address is right: the first order registers it; otherwise MALIPO_PUBLIC_URL',
  );
}
