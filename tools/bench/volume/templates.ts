/** Real payments of each shape, of several merchants: every row of a full deployment is a copy of one of theirs. */
import { request } from 'undici';
import type { NewMerchant } from '../../../src/merchants/merchants';
import { waitFor } from '../../sandbox/services/wait-for';
import { untilQuiet } from '../ours/side';
import type { Stack } from '../ours/stack';
import { shapes, type Shape } from './shapes';

export interface Template {
  paymentId: string;
  shape: Shape;
}

const settledWithinMs = 120_000;

type Keys = Pick<NewMerchant, 'api_key' | 'api_secret'>;

/** A payment to create for real. */
export interface Order {
  merchant: Keys;
  shape: Shape;
}

/** One of each kind for each of `among` merchants. */
export async function everyKind(stack: Stack, among: number): Promise<Order[]> {
  const merchants = [stack.merchant, ...(await moreMerchants(stack, among - 1))];
  return merchants.flatMap((merchant) =>
    shapes
      // Of what is rare one has to do, or there would be too many of it.
      .filter(({ share }) => share > 1 || merchant === stack.merchant)
      .map((shape) => ({ merchant, shape })),
  );
}

export async function moreMerchants(stack: Stack, count: number): Promise<NewMerchant[]> {
  const merchants: NewMerchant[] = [];
  while (merchants.length < count) merchants.push(await stack.addMerchant(`House ${merchants.length + 1}`));
  return merchants;
}

export async function makeTemplates(stack: Stack, orders: readonly Order[]): Promise<Template[]> {
  const templates: Template[] = [];
  // One at a time, because a customer can have only one prompt.
  for (const [n, { merchant, shape }] of orders.entries()) {
    templates.push({ paymentId: await begin(stack, merchant, shape, n), shape });
  }
  await waitFor(() => areAsExpected(stack, templates), {
    what: 'the first payments of each shape to be as they stay',
    timeoutMs: settledWithinMs,
  });
  await untilQuiet(stack.db);
  return templates;
}

async function begin(stack: Stack, keys: Keys, shape: Shape, n: number): Promise<string> {
  const { data = {}, ...answer } = await call(stack, keys, 'POST', shape.path, shape.body(n));
  const id = answer['transaction_id'] ?? data['transaction_id'] ?? data['payment_id'];
  if (typeof id !== 'string') throw new Error(`${shape.name}: the answer names no payment`);
  if (shape.isApproved) {
    const token = String(data['walletpay_order_id']);
    const simulator = stack.env['MALIPO_SIMULATOR_URL'] ?? '';
    await send(`${simulator}/control/walletpay/orders/${token}`, 'POST', {}, { action: 'approve' });
    const query = new URLSearchParams({ token, order_id: String(shape.body(n)['order_id']) });
    await call(stack, keys, 'GET', `/api/v1/walletpay/capture?${query.toString()}`);
  }
  return id;
}

type Answer = Record<string, unknown> & { data?: Record<string, unknown> };

function call(
  { apiUrl }: Stack,
  keys: Keys,
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, unknown>,
): Promise<Answer> {
  const headers = { 'x-api-key': keys.api_key, 'x-api-secret': keys.api_secret };
  return send(`${apiUrl}${path}`, method, headers, body);
}

async function send(
  url: string,
  method: 'GET' | 'POST',
  headers: Record<string, string>,
  body?: Record<string, unknown>,
): Promise<Answer> {
  const response = await request(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${url} answered ${response.statusCode}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Answer;
}

async function areAsExpected({ db }: Stack, templates: readonly Template[]): Promise<boolean> {
  const ids = templates.map(({ paymentId }) => paymentId);
  const rows = await db('payments').whereIn('payment_id', ids).select('payment_id', 'state');
  const states = new Map(rows.map((row) => [row.payment_id, row.state]));
  const other = templates.find(({ paymentId, shape }) => states.get(paymentId) !== shape.becomes);
  if (!other) return true;
  throw new Error(`${other.shape.name} is ${states.get(other.paymentId) ?? 'unknown'}`);
}
