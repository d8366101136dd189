/** A shop's checkout in Express: takes a mobile-money payment, learns of it by webhook, and gives it back. */
import { randomUUID } from 'node:crypto';
import express, { type Response } from 'express';
import { createMalipo, RefusedError, verifyWebhook, WebhookError } from '../src/index.js';

const {
  MALIPO_URL = '',
  MALIPO_API_KEY = '',
  MALIPO_API_SECRET = '',
  MALIPO_WEBHOOK_SECRET = '',
} = process.env;
const malipo = createMalipo({ baseUrl: MALIPO_URL, apiKey: MALIPO_API_KEY, apiSecret: MALIPO_API_SECRET });

interface Order {
  order_id: string;
  status: 'waiting' | 'paid' | 'not_paid' | 'refunding' | 'refunded';
  transaction_id?: string;
  /** What the customer is shown. */
  next_step?: string;
}

/** A shop keeps them in its database. */
const orders = new Map<string, Order>();
const webhooksSeen = new Set<string>();

const app = express();

app.get('/', (_request, response) => {
  response.send(`<form method="post" action="/orders">
    <label>Your number <input name="phone_number" value="+260763456789"></label> <button>Pay 25.50 ZMW</button></form>`);
});

app.post('/orders', express.json(), express.urlencoded({ extended: false }), async (request, response) => {
  const { phone_number } = request.body as { phone_number: string };
  const order: Order = { order_id: randomUUID(), status: 'waiting' };
  orders.set(order.order_id, order);
  try {
    const deposit = await malipo.momoDeposit(
      {
        ...{ amount: '25.50', currency: 'ZMW', country: 'ZMB', phone_number },
        ...{ account_reference: order.order_id, customer_message: 'Your order' },
      },
      // Whatever happens on the way, and however often this is sent: one order is one payment.
      { idempotencyKey: `pay-${order.order_id}` },
    );
    order.transaction_id = deposit.transaction_id;
    response.status(201).json(order);
  } catch (error) {
    answerFor(error, response);
  }
});

app.get('/orders/:orderId', async (request, response) => {
  const order = orders.get(request.params.orderId);
  if (order?.transaction_id === undefined) {
    response.status(404).json({ error: 'no such order' });
    return;
  }
  const { next_step } = await malipo.momoStatus({ transaction_id: order.transaction_id });
  response.json({ ...order, next_step: next_step.en });
});

app.post('/orders/:orderId/refund', async (request, response) => {
  const order = orders.get(request.params.orderId);
  if (order?.status !== 'paid' || order.transaction_id === undefined) {
    response.status(409).json({ error: 'not paid' });
    return;
  }
  try {
    await malipo.momoRefund(
      { transaction_id: order.transaction_id },
      { idempotencyKey: `refund-${order.order_id}` },
    );
    // Its webhook may have been faster.
    order.status = statusAfter(order);
    response.json(order);
  } catch (error) {
    answerFor(error, response);
  }
});

// The body as it came: the signature is over its bytes.
app.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
  try {
    const { id, type, body } = verifyWebhook(request.body as Buffer, request.headers, MALIPO_WEBHOOK_SECRET);
    if (type === 'Mobile-Money' && !webhooksSeen.has(id)) {
      const order = orders.get(body.account_reference);
      if (order && body.type === 'deposit') order.status = body.status === 'Success' ? 'paid' : 'not_paid';
      if (order && body.type === 'refund') order.status = body.status === 'Success' ? 'refunded' : 'paid';
      webhooksSeen.add(id);
    }
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    response.status(400).json({ error: error.message });
  }
});

function statusAfter({ status }: Order): Order['status'] {
  return status === 'paid' ? 'refunding' : status;
}

/** A refusal is the shop's to mend, or the customer's; anything else is in doubt, and asked about later. */
function answerFor(error: unknown, response: Response): void {
  if (error instanceof RefusedError) response.status(422).json({ error: error.message, code: error.code });
  else response.status(202).json({ error: 'We do not know yet. Do not pay again.' });
}

app.listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1');
