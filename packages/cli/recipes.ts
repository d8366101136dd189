/** How each of the simulator's test values is brought about through the API: a request, and what the customer does then. */
import { randomBytes } from 'node:crypto';
import { ActionError } from '../../src/operator-actions/errors';
import { taken, type ApiAnswer, type MerchantApi } from './merchant-api';
import { askUntil } from './patience';

/** A test value, as the simulator tells it at /control/scenarios. */
export interface Scenario {
  /** Such as `stk.insufficient-funds`. */
  name: string;
  provider: string;
  value: string;
  asks: string;
  title: string;
  behaviour: string;
}

export interface Kitchen {
  api: MerchantApi;
  /** What a customer or the bank does: a POST to the simulator's control API. */
  customer(path: string, action: Record<string, unknown>): Promise<void>;
}

/** What was asked of the API, and how it answered. */
export interface Served {
  path: string;
  answer: ApiAnswer;
  /** What the payment is found by. */
  reference: string;
}

type Recipe = (kitchen: Kitchen, value: string) => Promise<Served>;

/** How long an order may take to be paid before it is refunded. */
const orderPatienceMs = 180_000;
const newReference = () => `TRY-${randomBytes(4).toString('hex').toUpperCase()}`;
const pathsOf = {
  order: '/api/v1/walletpay/create_order',
  refund: '/api/v1/walletpay/refund',
};

async function asked(
  { api }: Kitchen,
  path: string,
  fields: Record<string, unknown>,
  referenceField: string,
): Promise<Served> {
  const reference = newReference();
  const answer = await api.post(path, { ...fields, [referenceField]: reference });
  return { path, answer, reference };
}

const digitsIn = (value: string) => /\d{1,15}$/.exec(value)?.[0] ?? '';

/** An order that its buyer approves, and that is captured. */
async function walletOrder(kitchen: Kitchen, cents: string): Promise<Served> {
  const amount = Number(`25.${cents}`);
  const served = await asked(kitchen, pathsOf.order, { amount, currency: 'USD' }, 'order_id');
  const { walletpay_order_id: token } = (served.answer.body['data'] ?? {}) as Record<string, unknown>;
  if (typeof token !== 'string' || token === '') return served;
  await kitchen.customer(`walletpay/orders/${token}`, { action: 'approve' });
  await kitchen.api.get('/api/v1/walletpay/capture', { token, order_id: served.reference });
  return served;
}

async function walletRefund(kitchen: Kitchen, cents: string): Promise<Served> {
  const { answer, reference } = await walletOrder(kitchen, '00');
  const { transaction_id } = (taken(answer)['data'] ?? {}) as Record<string, unknown>;
  const of = { transaction_id: String(transaction_id) };
  const status = () => kitchen.api.get('/api/v1/payments', { reference });
  const paid = await askUntil(async () => {
    const [order] = taken(await status())['payments'] as { state: string }[];
    return order?.state === 'succeeded' ? order : undefined;
  }, orderPatienceMs);
  if (!paid)
    throw new ActionError(`The order ${of.transaction_id} was not paid in time, so nothing was refunded.`);
  const refund = await kitchen.api.post(pathsOf.refund, { ...of, amount: `5.${cents}` });
  return { path: pathsOf.refund, answer: refund, reference };
}

async function hostedOrder(kitchen: Kitchen, cents: string): Promise<Served> {
  const { merchant_id } = taken(await kitchen.api.get('/api/v1/query_balance'));
  const fields = {
    ...{ merchant_id, amount: Number(`1500.${cents}`), currency: 'KES', description: 'malipo trigger' },
    ...{ phone_number: '254700000001', email_address: 'ana@example.org' },
    ...{ first_name: 'Ana', last_name: 'Doe' },
  };
  const served = await asked(kitchen, '/api/v2/initiate.php', fields, 'order_id');
  const { order_tracking_id: id } = served.answer.body;
  if (typeof id === 'string' && id !== '')
    await kitchen.customer(`cardproc/orders/${id}`, { action: 'pay_card' });
  return served;
}

const zambia = { amount: '25.50', currency: 'ZMW', country: 'ZMB' };
/** Where the network asks on a page of its own. */
const senegal = { amount: '1500', currency: 'XOF', country: 'SEN', phone_number: '+221770000789' };

/** Where a customer is asked for a code beforehand. */
const burkina = {
  ...{ amount: '1500', currency: 'XOF', country: 'BFA', provider: 'ORANGE_BFA' },
  ...{ phone_number: '+22605000789', preauth_code: '123456' },
};

/** By provider and what is asked of it. */
const recipes: Readonly<Record<string, Recipe>> = {
  'stk payment': (kitchen, phone_number) =>
    asked(
      kitchen,
      '/api/v1/stk_push',
      { phone_number, amount: 1250, transaction_desc: 'malipo trigger' },
      'account_reference',
    ),
  'momo deposit': (kitchen, value) =>
    asked(
      kitchen,
      '/api/v1/momo/deposit',
      { ...zambia, phone_number: `+260763000${digitsIn(value)}` },
      'account_reference',
    ),
  'momo payout': (kitchen, value) =>
    asked(
      kitchen,
      '/api/v1/momo/payout',
      { ...zambia, phone_number: `+260763000${digitsIn(value)}` },
      'account_reference',
    ),
  'momo preauth': (kitchen) => asked(kitchen, '/api/v1/momo/deposit', burkina, 'account_reference'),
  'momo redirect': (kitchen) => asked(kitchen, '/api/v1/momo/deposit', senegal, 'account_reference'),
  'xb payment': (kitchen, phone_number) =>
    asked(kitchen, '/api/v1/xb/stk_push', { phone_number, currency: 'UGX', amount: 20_000 }, 'api_ref'),
  'walletpay order': (kitchen, value) => walletOrder(kitchen, digitsIn(value)),
  'walletpay refund': (kitchen, value) => walletRefund(kitchen, digitsIn(value)),
  'walletpay payout': (kitchen, value) => {
    const [, name = ''] = /to ([\w-]+)@/.exec(value) ?? [];
    const fields = { amount: 40, currency: 'USD', recipient_email: `${name}@example.org` };
    return asked(kitchen, '/api/v1/walletpay/create_payout', fields, 'order_id');
  },
  'walletpay noted-payout': (kitchen, value) => {
    const [note] = /ERR\w+/.exec(value) ?? [];
    const fields = { amount: 40, currency: 'USD', recipient_email: 'ok@example.org', note };
    return asked(kitchen, '/api/v1/walletpay/create_payout', fields, 'order_id');
  },
  'cardproc order': (kitchen, value) => hostedOrder(kitchen, digitsIn(value)),
};

export const hasRecipe = ({ provider, asks }: Scenario) => `${provider} ${asks}` in recipes;

/** @throws ActionError for what cannot be brought about by a request. */
export function bringAbout(kitchen: Kitchen, scenario: Scenario): Promise<Served> {
  const recipe = recipes[`${scenario.provider} ${scenario.asks}`];
  if (!recipe) throw new ActionError(`${scenario.name} is not brought about by a request of yours.`);
  return recipe(kitchen, scenario.value);
}
