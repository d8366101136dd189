import {
  actingFaults,
  requestPayment,
  askingFaults,
  callbackFaults,
  digitsIn,
  type RecipeContext,
  type RailSandbox,
  type Served,
} from '../../rail-kit/sandbox';
import { walletpayDemo } from './demo';

const refundPath = '/api/v1/walletpay/refund';
const payoutPath = '/api/v1/walletpay/create_payout';

export const walletpaySandbox: RailSandbox = {
  provider: {
    what: 'wallet provider',
    port: { variable: 'MALIPO_SIMULATOR_WALLETPAY_PORT', standard: 3240 },
    baseUrl: 'WALLETPAY_BASE_URL',
    credentials: {
      client_id: 'WALLETPAY_CLIENT_ID',
      client_secret: 'WALLETPAY_CLIENT_SECRET',
      webhook_id: 'WALLETPAY_WEBHOOK_ID',
    },
    notificationAddresses: (apiUrl) => ({ WALLETPAY_WEBHOOK_URL: `${apiUrl}/api/v1/walletpay/webhook` }),
    trust: (providerUrl) => ({
      WALLETPAY_CERT_HOSTS: new URL(providerUrl).host,
      WALLETPAY_CA_URL: `${providerUrl}/certs/ca.pem`,
    }),
    faults: {
      initiate: actingFaults,
      capture: actingFaults,
      refund: actingFaults,
      payout: actingFaults,
      query: askingFaults,
      callback: [...callbackFaults, 'reorder', 'bad_signature'],
    },
  },
  demo: walletpayDemo,
  recipes: {
    order: (context, value) => order(context, digitsIn(value)),
    refund: (context, value) => refund(context, digitsIn(value)),
    payout: (context, value) => {
      const [, name = ''] = /to ([\w-]+)@/.exec(value) ?? [];
      const fields = { amount: 40, currency: 'USD', recipient_email: `${name}@example.org` };
      return requestPayment(context, payoutPath, fields, 'order_id');
    },
    'noted-payout': (context, value) => {
      const [note] = /ERR\w+/.exec(value) ?? [];
      const fields = { amount: 40, currency: 'USD', recipient_email: 'ok@example.org', note };
      return requestPayment(context, payoutPath, fields, 'order_id');
    },
  },
};

/** An order that its buyer approves, and that is captured. */
async function order(context: RecipeContext, cents: string): Promise<Served> {
  const amount = Number(`25.${cents}`);
  const served = await requestPayment(
    context,
    '/api/v1/walletpay/create_order',
    { amount, currency: 'USD' },
    'order_id',
  );
  const { walletpay_order_id: token } = (served.answer.body['data'] ?? {}) as Record<string, unknown>;
  if (typeof token !== 'string' || token === '') return served;
  await context.customer(`walletpay/orders/${token}`, { action: 'approve' });
  await context.api.get('/api/v1/walletpay/capture', { token, order_id: served.reference });
  return served;
}

async function refund(context: RecipeContext, cents: string): Promise<Served> {
  const { answer, reference } = await order(context, '00');
  const { transaction_id } = (context.taken(answer)['data'] ?? {}) as Record<string, unknown>;
  const of = { transaction_id: String(transaction_id) };
  const status = () => context.api.get('/api/v1/payments', { reference });
  await context.until(async () => {
    const [paid] = context.taken(await status())['payments'] as { state: string }[];
    return paid?.state === 'succeeded' ? paid : undefined;
  }, `The order ${of.transaction_id} was not paid in time, so nothing was refunded.`);
  const given = await context.api.post(refundPath, { ...of, amount: `5.${cents}` });
  return { path: refundPath, answer: given, reference };
}
