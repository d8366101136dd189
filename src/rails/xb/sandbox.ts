import {
  actingFaults,
  requestPayment,
  askingFaults,
  callbackFaults,
  type RailSandbox,
} from '../../rail-kit/sandbox';
import { xbDemo } from './demo';

export const xbSandbox: RailSandbox = {
  provider: {
    what: 'cross-border provider',
    port: { variable: 'MALIPO_SIMULATOR_XB_PORT', standard: 3230 },
    baseUrl: 'XB_BASE_URL',
    credentials: {
      secret_key: 'XB_SECRET_KEY',
      publishable_key: 'XB_PUBLISHABLE_KEY',
      challenge: 'XB_CHALLENGE',
    },
    notificationAddresses: (apiUrl) => ({ XB_WEBHOOK_URL: `${apiUrl}/in/xb` }),
    faults: {
      initiate: [...actingFaults, 'act_then_drop'],
      status: askingFaults,
      lookup: askingFaults,
      callback: [...callbackFaults, 'reorder', 'bad_signature', 'contradict'],
    },
  },
  demo: xbDemo,
  recipes: {
    payment: (context, phone_number) =>
      requestPayment(
        context,
        '/api/v1/xb/stk_push',
        { phone_number, currency: 'UGX', amount: 20_000 },
        'api_ref',
      ),
  },
};
