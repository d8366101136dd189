import {
  actingFaults,
  requestPayment,
  askingFaults,
  callbackFaults,
  type RailSandbox,
} from '../../rail-kit/sandbox';
import { stkDemo } from './demo';

export const stkSandbox: RailSandbox = {
  provider: {
    what: 'STK provider',
    port: { variable: 'MALIPO_SIMULATOR_STK_PORT', standard: 3210 },
    baseUrl: 'STK_BASE_URL',
    credentials: {
      consumer_key: 'STK_CONSUMER_KEY',
      consumer_secret: 'STK_CONSUMER_SECRET',
      passkey: 'STK_PASSKEY',
      shortcode: 'STK_SHORTCODE',
    },
    faults: {
      initiate: [...actingFaults, 'act_then_error'],
      query: askingFaults,
      token: askingFaults,
      callback: [...callbackFaults, 'reorder', 'contradict'],
    },
  },
  demo: stkDemo,
  recipes: {
    payment: (context, phone_number) =>
      requestPayment(
        context,
        '/api/v1/stk_push',
        { phone_number, amount: 1250, transaction_desc: 'malipo trigger' },
        'account_reference',
      ),
  },
};
