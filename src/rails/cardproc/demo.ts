/** Hosted checkout: a customer at the processor's page, for the wrapper and for the card API. */
import {
  type DemoContext,
  minorOf,
  newReference,
  type PaymentResult,
  paymentResult,
  type RailDemo,
  type ReceivedWebhook,
} from '../../rail-kit/demo';

const rail = 'Hosted checkout';
const currency = 'KES';
const amounts = {
  card: '1500.00',
  mobile: '700.00',
  retried: '300.00',
  reversed: '400.00',
  polled: '900.00',
};

export const cardprocDemo: RailDemo = {
  rail,
  shows: 'card, mobile money, a second try, reversed',
  run: (context) =>
    Promise.all([
      pay(context, 'pay_card', amounts.card, 'by card'),
      pay(context, 'pay_mobile', amounts.mobile, 'by mobile money'),
      failThenPay(context),
      payAndReverse(context),
      pollToTheEnd(context),
    ]),
};

type Action = 'pay_card' | 'pay_mobile' | 'fail' | 'reverse';

async function initiate({ api, merchantId }: DemoContext, amount: string): Promise<string> {
  const { order_tracking_id } = await api.post('/api/v2/initiate.php', {
    merchant_id: merchantId,
    order_id: newReference(),
    amount,
    currency,
    description: 'Malipo demo',
    phone_number: '254700000001',
    email_address: 'ana@example.org',
    first_name: 'Ana',
    last_name: 'Doe',
  });
  return String(order_tracking_id);
}

function act({ simulator }: DemoContext, trackingId: string, action: Action): Promise<unknown> {
  return simulator.post(`/cardproc/orders/${trackingId}`, { action, return: action.startsWith('pay') });
}

/** Waits for the next webhook of an order. */
function nextWebhook(
  { webhooks }: DemoContext,
  trackingId: string,
  status: string,
): Promise<ReceivedWebhook> {
  return webhooks.next(
    `the order with status ${status}`,
    (body) => body['provider_reference'] === trackingId && body['status'] === status,
  );
}

async function pay(
  context: DemoContext,
  action: Action,
  amount: string,
  how: string,
): Promise<PaymentResult> {
  const trackingId = await initiate(context, amount);
  await act(context, trackingId, action);
  const paid = await context.simulator.hurry(nextWebhook(context, trackingId, 'COMPLETED'));
  return resultOf(context, [paid], {
    what: `customer pays ${amount} ${currency} ${how}`,
    expected: 'COMPLETED',
    gain: amount,
  });
}

async function failThenPay(context: DemoContext): Promise<PaymentResult> {
  const trackingId = await initiate(context, amounts.retried);
  await act(context, trackingId, 'fail');
  const failed = await context.simulator.hurry(nextWebhook(context, trackingId, 'FAILED'));
  await act(context, trackingId, 'pay_card');
  const paid = await context.simulator.hurry(nextWebhook(context, trackingId, 'COMPLETED'));
  return resultOf(context, [failed, paid], {
    what: `customer fails, then pays ${amounts.retried} ${currency}`,
    expected: 'FAILED, then COMPLETED',
    gain: amounts.retried,
  });
}

async function payAndReverse(context: DemoContext): Promise<PaymentResult> {
  const trackingId = await initiate(context, amounts.reversed);
  await act(context, trackingId, 'pay_card');
  const paid = await context.simulator.hurry(nextWebhook(context, trackingId, 'COMPLETED'));
  await act(context, trackingId, 'reverse');
  const reversed = await context.simulator.hurry(nextWebhook(context, trackingId, 'REVERSED'));
  return resultOf(context, [paid, reversed], {
    what: `${amounts.reversed} ${currency} paid, then reversed`,
    expected: 'COMPLETED, then REVERSED',
  });
}

function resultOf(
  context: DemoContext,
  webhooks: ReceivedWebhook[],
  { what, expected, gain }: { what: string; expected: string; gain?: string },
): PaymentResult {
  const words = webhooks.map(({ body }) => String(body['status']));
  return paymentResult(context, {
    rail,
    what,
    workflowId: `hosted-order/${String(webhooks[0]?.body['transaction_id'])}`,
    outcome: words.join(', then '),
    expected,
    webhooks,
    gains: gain === undefined ? [] : [{ account: 'wallet', currency, minor: minorOf(gain, currency) }],
  });
}

/** The card API sends no webhooks: its merchants poll. */
async function pollToTheEnd(context: DemoContext): Promise<PaymentResult> {
  const { api, merchantId, simulator, operator } = context;
  const { order_tracking_id } = await api.post('/api/cardproc/submit_order.php', {
    merchant_id: merchantId,
    merchant_ref: newReference(),
    amount: amounts.polled,
    description: 'Malipo demo',
    callback_url: 'http://127.0.0.1:9/thanks',
    billing_address: { email_address: 'ana@example.org' },
  });
  const trackingId = String(order_tracking_id);
  await act(context, trackingId, 'pay_mobile');
  let status = '';
  await simulator.until(async () => {
    const body = { order_tracking_id: trackingId };
    status = String((await api.post('/api/cardproc/transaction_status.php', body))['status']);
    return status === 'COMPLETED';
  });
  return paymentResult(context, {
    rail,
    what: `card API order of ${amounts.polled} ${currency}, polled`,
    workflowId: await operator.workflowOf(trackingId),
    outcome: status,
    expected: 'COMPLETED',
    webhooks: [],
    gains: [{ account: 'wallet', currency, minor: minorOf(amounts.polled, currency) }],
  });
}
