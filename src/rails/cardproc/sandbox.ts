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
import { cardprocDemo } from './demo';

export const cardprocSandbox: RailSandbox = {
  provider: {
    what: 'card processor',
    port: { variable: 'MALIPO_SIMULATOR_CARDPROC_PORT', standard: 3250 },
    baseUrl: 'CARDPROC_BASE_URL',
    credentials: {
      consumer_key: 'CARDPROC_CONSUMER_KEY',
      consumer_secret: 'CARDPROC_CONSUMER_SECRET',
    },
    faults: {
      initiate: [...actingFaults, 'act_then_drop'],
      query: askingFaults,
      callback: callbackFaults,
    },
  },
  demo: cardprocDemo,
  recipes: { order: (context, value) => hostedOrder(context, digitsIn(value)) },
};

async function hostedOrder(context: RecipeContext, cents: string): Promise<Served> {
  const { merchant_id } = context.taken(await context.api.get('/api/v1/query_balance'));
  const fields = {
    ...{ merchant_id, amount: Number(`1500.${cents}`), currency: 'KES', description: 'malipo trigger' },
    ...{ phone_number: '254700000001', email_address: 'ana@example.org' },
    ...{ first_name: 'Ana', last_name: 'Doe' },
  };
  const served = await requestPayment(context, '/api/v2/initiate.php', fields, 'order_id');
  const { order_tracking_id: id } = served.answer.body;
  if (typeof id === 'string' && id !== '')
    await context.customer(`cardproc/orders/${id}`, { action: 'pay_card' });
  return served;
}
