import {
  actingFaults,
  requestPayment,
  askingFaults,
  callbackFaults,
  digitsIn,
  type RailSandbox,
  type Recipe,
} from '../../rail-kit/sandbox';
import { momoDemo } from './demo';

const zambia = { amount: '25.50', currency: 'ZMW', country: 'ZMB' };

const inZambia =
  (path: string): Recipe =>
  (context, value) =>
    requestPayment(
      context,
      path,
      { ...zambia, phone_number: `+260763000${digitsIn(value)}` },
      'account_reference',
    );

/** A network with a payment page of its own. */
const senegal = { amount: '1500', currency: 'XOF', country: 'SEN', phone_number: '+221770000789' };

/** A network that requires a pre-authorisation code. */
const burkina = {
  ...{ amount: '1500', currency: 'XOF', country: 'BFA', provider: 'ORANGE_BFA' },
  ...{ phone_number: '+22605000789', preauth_code: '123456' },
};

export const momoSandbox: RailSandbox = {
  provider: {
    what: 'mobile-money provider',
    port: { variable: 'MALIPO_SIMULATOR_MOMO_PORT', standard: 3220 },
    baseUrl: 'MOMO_BASE_URL',
    credentials: { token: 'MOMO_TOKEN' },
    notificationAddresses: (apiUrl) => ({
      MOMO_CALLBACK_DEPOSIT_URL: `${apiUrl}/in/momo`,
      MOMO_CALLBACK_PAYOUT_URL: `${apiUrl}/in/momo`,
      MOMO_CALLBACK_REFUND_URL: `${apiUrl}/in/momo`,
    }),
    faults: {
      initiate: [...actingFaults, 'act_then_drop', 'act_late'],
      status: askingFaults,
      callback: [...callbackFaults, 'reorder', 'bad_digest', 'contradict'],
    },
  },
  demo: momoDemo,
  recipes: {
    deposit: inZambia('/api/v1/momo/deposit'),
    payout: inZambia('/api/v1/momo/payout'),
    preauth: (context) => requestPayment(context, '/api/v1/momo/deposit', burkina, 'account_reference'),
    redirect: (context) => requestPayment(context, '/api/v1/momo/deposit', senegal, 'account_reference'),
  },
};
