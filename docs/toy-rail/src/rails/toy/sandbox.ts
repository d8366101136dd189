import {
  actingFaults,
  requestPayment,
  askingFaults,
  callbackFaults,
  type RailSandbox,
} from '../../rail-kit/sandbox';
import { toyDemo } from './demo';

export const toySandbox: RailSandbox = {
  provider: {
    what: 'toy bank',
    port: { variable: 'MALIPO_SIMULATOR_TOY_PORT', standard: 3260 },
    baseUrl: 'TOY_BASE_URL',
    credentials: { token: 'TOY_TOKEN' },
    notificationAddresses: (apiUrl) => ({ TOY_WEBHOOK_URL: `${apiUrl}/in/toy` }),
    faults: { initiate: actingFaults, status: askingFaults, callback: callbackFaults },
  },
  demo: toyDemo,
  recipes: {
    payment: (context, phone_number) =>
      requestPayment(context, '/api/v1/toy/collect', { phone_number, amount: 10 }, 'order_id'),
  },
};
