/** A shop's checkout in Express: collects a mobile-money payment, gets its outcome by webhook, and refunds it. */
import { randomUUID } from 'node:crypto';
import express, { type Response } from 'express';
import {
  createMalipo,
  OutcomeUnknownError,
  RefusedError,
  verifyWebhook,
  WebhookError,
  type Webhook,
} from '../src/index.js';

/** A missing setting must fail at the start, and not at a customer's payment. */
function setting(name: string): string {
  const value = process.env[name] ?? '';
  if (value === '') throw new Error(`${name} is not set`);
  return value;
}

const webhookSecret = setting('MALIPO_WEBHOOK_SECRET');
const malipo = createMalipo({
  baseUrl: setting('MALIPO_URL'),
  apiKey: setting('MALIPO_API_KEY'),
  apiSecret: setting('MALIPO_API_SECRET'),
});

interface Order {
  order_id: string;
  /** `to_check`: the paid amount differs from the price, and the shop's staff decides. */
  status: 'waiting' | 'paid' | 'not_paid' | 'to_check' | 'refunding' | 'refunded';
  /** The price. */
  amount: string;
  currency: string;
  transaction_id?: string;
  failed_refunds: string[];
}

/** A real shop stores orders in its database, and changes each in a transaction. */
const orders = new Map<string, Order>();

const app = express();

app.get('/', (_request, response) => {
  response.send(`<form method="post" action="/orders">
    <label>Your number <input name="phone_number" value="+260763456789"></label> <button>Pay 25.50 ZMW</button></form>`);
});

app.post('/orders', express.json(), express.urlencoded({ extended: false }), async (request, response) => {
  const { phone_number = '' } = (request.body ?? {}) as { phone_number?: string };
  const price = { amount: '25.50', currency: 'ZMW' } as const;
  const order: Order = { order_id: randomUUID(), status: 'waiting', ...price, failed_refunds: [] };
  orders.set(order.order_id, order);
  try {
    const deposit = await malipo.momoDeposit(
      {
        ...{ ...price, country: 'ZMB', phone_number },
        ...{ account_reference: order.order_id, customer_message: 'Your order' },
      },
      // However often this request is sent, one order is one payment.
      { idempotencyKey: `order-${order.order_id}-1` },
    );
    order.transaction_id = deposit.transaction_id;
    response.status(201).json(order);
  } catch (error) {
    if (error instanceof RefusedError && order.status === 'waiting') order.status = 'not_paid';
    answerFor(error, order, response);
  }
});

app.get('/orders/:orderId', async (request, response) => {
  const order = orders.get(request.params.orderId);
  if (!order) {
    response.status(404).json({ error: 'no such order' });
    return;
  }
  try {
    if (order.transaction_id === undefined) {
      // The answer was lost: was the request accepted all the same?
      const { payments } = await malipo.listPayments({
        reference: order.order_id,
        type: 'deposit',
        limit: '1',
      });
      if (payments[0]) order.transaction_id ??= payments[0].payment_id;
    }
    const { transaction_id } = order;
    const told = transaction_id === undefined ? undefined : await malipo.momoStatus({ transaction_id });
    response.json({ ...order, next_step: told?.next_step.en });
  } catch (error) {
    // The shop can always show its own data.
    if (!isOfService(error)) throw error;
    response.json(order);
  }
});

app.post('/orders/:orderId/refund', async (request, response) => {
  const order = orders.get(request.params.orderId);
  if (order?.transaction_id === undefined || !['paid', 'refunding'].includes(order.status)) {
    response.status(409).json({ error: 'not paid' });
    return;
  }
  // A refund whose outcome is unknown is repeated with its key. After a failed refund, a new one gets a new key.
  const idempotencyKey = `refund-${order.order_id}-${order.failed_refunds.length}`;
  const isRepeat = isRefunding(order);
  // Set before the request: the webhook may arrive before the answer.
  order.status = 'refunding';
  try {
    await malipo.momoRefund({ transaction_id: order.transaction_id }, { idempotencyKey, isRepeat });
    response.json(order);
  } catch (error) {
    if (error instanceof RefusedError && isRefunding(order)) order.status = 'paid';
    answerFor(error, order, response);
  }
});

// The body as received: the signature covers its bytes.
app.post('/webhooks', express.raw({ type: () => true }), (request, response) => {
  try {
    const webhook = verifyWebhook((request.body as Buffer | undefined) ?? '', request.headers, webhookSecret);
    if (webhook.type === 'Mobile-Money') hear(webhook.body);
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    response.status(400).json({ error: error.message });
  }
});

/** Webhooks arrive in any order, and more than once: an older one must not overwrite a newer one. */
function hear(told: Extract<Webhook, { type: 'Mobile-Money' }>['body']): void {
  const order = orders.get(told.account_reference);
  if (!order) return;
  const isSuccess = told.status === 'Success';
  // An unknown status is not final.
  const isFailure = told.status === 'Failed' || told.status === 'Cancelled';
  const isAllOfIt = told.amount === order.amount && told.currency === order.currency;
  if (told.type === 'deposit') {
    order.transaction_id ??= told.transaction_id;
    if (order.transaction_id !== told.transaction_id) return;
    // A success may follow a failure, and a failure never follows a success.
    if (isSuccess && ['waiting', 'not_paid'].includes(order.status))
      order.status = isAllOfIt ? 'paid' : 'to_check';
    if (isFailure && order.status === 'waiting') order.status = 'not_paid';
  }
  if (told.type === 'refund') {
    if (isSuccess) order.status = isAllOfIt ? 'refunded' : 'to_check';
    if (isFailure && !order.failed_refunds.includes(told.transaction_id)) {
      order.failed_refunds.push(told.transaction_id);
      if (isRefunding(order)) order.status = 'paid';
    }
  }
}

const isRefunding = ({ status }: Order) => status === 'refunding';
const isOfService = (error: unknown) => error instanceof RefusedError || error instanceof OutcomeUnknownError;

/** The shop or the customer corrects an error; an unknown outcome is queried later. */
function answerFor(error: unknown, order: Order, response: Response): void {
  if (!isOfService(error)) throw error;
  if (error instanceof RefusedError) {
    response.status(422).json({ ...order, error: error.message, code: error.code });
  } else {
    response.status(202).json({ ...order, error: 'We do not know yet. Do not pay again.' });
  }
}

app.listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1');
