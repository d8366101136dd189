/** The example shops of the clients, each in its language, with one real stack and a bad connection. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setMerchant } from '../../../src/merchants/merchants';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { signatureHeaders } from '../../../src/webhooks/post';
import { portReserve } from '../../support/ports';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';
import { startFaultyFront, type FaultyFront } from './faulty-front';
import { languages, runnable, type Language } from './languages';

const root = join(__dirname, '..', '..', '..');
const clients = join(root, 'packages', 'clients');
const ofMomo = { 'X-Callback-Type': 'Mobile-Money' };
const folder = mkdtempSync(join(tmpdir(), 'malipo-shops-'));
const ports = portReserve();
let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack({ timeScale: 20 });
});
afterAll(async () => {
  await stack.stop();
  ports.letGo();
  rmSync(folder, { recursive: true, force: true });
});

/** How each language runs its shop. */
const argsOf: Record<Language['name'], (port: number) => string[]> = {
  node: () => [runnable(join(clients, 'node', 'examples', 'shop.ts'), folder, 'shop.cjs')],
  python: () => [join(clients, 'python', 'examples', 'shop.py')],
  php: (port) => ['-S', `127.0.0.1:${String(port)}`, join(clients, 'php', 'examples', 'shop.php')],
};

interface Order {
  order_id: string;
  status: string;
  transaction_id: string;
  next_step?: string;
  code?: string;
}

describe.each(Object.values(languages))('the shop in $name', ({ name: language, command, env }) => {
  const isHere = command !== undefined;
  const itThere = isHere ? it : it.skip;
  let shop: ChildProcess | undefined;
  let front: FaultyFront;
  let merchant: TestMerchant;
  let url: string;
  let reported = '';

  beforeAll(async () => {
    if (!isHere) return;
    const port = await ports.take();
    url = `http://127.0.0.1:${String(port)}`;
    front = await startFaultyFront(stack.apiUrl);
    merchant = await stack.createMerchant(`Shop in ${language}`);
    await setMerchant(
      stack.db,
      merchant.merchantId,
      { callbackUrl: `${url}/webhooks` },
      { environment: 'sandbox' },
    );
    shop = spawn(command, argsOf[language](port), {
      env: {
        ...process.env,
        ...env,
        SHOP_FOLDER: folder,
        PORT: String(port),
        MALIPO_URL: front.url,
        MALIPO_API_KEY: merchant.apiKey,
        MALIPO_API_SECRET: merchant.apiSecret,
        MALIPO_WEBHOOK_SECRET: merchant.webhookSecret,
      },
    });
    for (const stream of [shop.stdout, shop.stderr]) stream?.on('data', (text) => (reported += String(text)));
    await waitFor(
      () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      { what: `the shop in ${language}`, timeoutMs: 20_000 },
    );
  });
  afterAll(async () => {
    shop?.kill();
    if (isHere) await front.close();
  });

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: answer.status, body: (isJson && text !== '' ? JSON.parse(text) : {}) as Order };
  };
  const shown = async (orderId: string) => (await (await fetch(`${url}/orders/${orderId}`)).json()) as Order;
  const becomes = (orderId: string, status: string) =>
    waitFor(async () => ((await shown(orderId)).status === status ? true : undefined), {
      what: `an order that is ${status}: ${reported}`,
      timeoutMs: 60_000,
    });

  /** An authentic webhook, with the test's changes. */
  const hears = async (order: Order, differs: Record<string, unknown> = {}) => {
    const reported = {
      ...{ transaction_id: order.transaction_id, type: 'deposit', status: 'Success' },
      ...{ amount: '25.50', currency: 'ZMW', account_reference: order.order_id },
    };
    const body = JSON.stringify({ ...reported, ...differs });
    const signed = signatureHeaders(`msg_${randomUUID()}`, new Date(), body, [merchant.webhookSecret]);
    expect((await post('/webhooks', body, { ...ofMomo, ...signed })).status).toBe(204);
    return (await shown(order.order_id)).status;
  };
  /** The customer with this number never answers. */
  const waiting = async () => (await post('/orders', { phone_number: '+260763000129' })).body;

  itThere('takes a payment once over a bad line, learns of it by webhook, and gives it back', async () => {
    const taken = await post('/orders', { phone_number: '+260763456789' });
    expect([taken.status, taken.body]).toMatchObject([201, { transaction_id: expect.any(String) }]);
    const { order_id: orderId, transaction_id: depositId } = taken.body;
    await becomes(orderId, 'paid');
    expect((await shown(orderId)).next_step).toBe('Your payment has been received. Thank you.');

    expect((await post(`/orders/${orderId}/refund`, {})).status).toBe(200);
    await becomes(orderId, 'refunded');

    const payments = await stack.db('payments').where({ merchant_id: merchant.merchantId }).select('kind');
    expect(payments.map(({ kind }) => kind).sort()).toEqual(['deposit', 'refund']);
    expect([...front.keys.values()]).toEqual([
      Array(3).fill(`order-${orderId}-1`),
      Array(3).fill(`refund-${orderId}-0`),
    ]);
    const [refund] = await stack.db('payments').where({ parent_id: depositId }).select('state');
    expect(refund?.state).toBe('succeeded');
  });

  itThere('tells a refusal by its code', async () => {
    const { status, body } = await post('/orders', { phone_number: '12' });
    expect([status, body.code]).toEqual([422, 'INVALID_PHONE_NUMBER']);
  });

  itThere('answers what it does not understand without falling over', async () => {
    expect((await post('/nowhere', {})).status).toBe(404);
    expect((await post('/orders/nobody/refund', {})).status).toBe(409);
    for (const body of ['{', '[]', '{}', '"text"', '']) {
      const { status } = await post('/orders', body);
      expect([body, status]).toEqual([body, status === 400 ? 400 : 422]);
      expect([body, (await post('/webhooks', body)).status]).toEqual([body, 400]);
    }
  });

  itThere('believes no webhook of somebody else, and none that is old', async () => {
    const order = await waiting();
    const { transaction_id, order_id } = order;
    const price = { amount: '25.50', currency: 'ZMW' };
    const reported = {
      transaction_id,
      type: 'deposit',
      status: 'Success',
      ...price,
      account_reference: order_id,
    };
    const body = JSON.stringify(reported);
    const other = `whsec_${Buffer.from('another secret of so many bytes .').toString('base64')}`;
    const minutesAgo = (n: number) => new Date(Date.now() - n * 60_000);
    const forged = [
      signatureHeaders('msg_1', minutesAgo(0), body, [other]),
      signatureHeaders('msg_2', minutesAgo(6), body, [merchant.webhookSecret]),
      signatureHeaders('msg_3', minutesAgo(0), `${body} `, [merchant.webhookSecret]),
      {},
    ];
    for (const headers of forged)
      expect((await post('/webhooks', body, { ...ofMomo, ...headers })).status).toBe(400);
    expect((await shown(order_id)).status).toBe('waiting');
    // While a secret changes there are two signatures.
    const ours = signatureHeaders('msg_4', minutesAgo(0), body, [other, merchant.webhookSecret]);
    expect((await post('/webhooks', body, { ...ofMomo, ...ours })).status).toBe(204);
    expect((await shown(order_id)).status).toBe('paid');
  });

  itThere('delivers only for what the order costs, and for the payment that it asked for', async () => {
    const order = await waiting();
    expect(await hears(order, { transaction_id: randomUUID() })).toBe('waiting');
    expect(await hears(order, { status: 'Processing' })).toBe('waiting');
    expect(await hears(order, { amount: '2.55' })).toBe('to_check');
    expect(await hears(await waiting(), { currency: 'TZS' })).toBe('to_check');
    expect(await hears(await waiting(), { amount: '25.51' })).toBe('to_check');
  });

  itThere('lets no webhook undo what is newer, in whatever order they come', async () => {
    const order = await waiting();
    // A success may follow a failure.
    expect(await hears(order, { status: 'Failed' })).toBe('not_paid');
    expect(await hears(order)).toBe('paid');
    expect(await hears(order, { status: 'Failed' })).toBe('paid');
    expect(await hears(order, { status: 'Cancelled' })).toBe('paid');
    const refund = { type: 'refund', transaction_id: randomUUID() };
    expect(await hears(order, { ...refund, status: 'Failed' })).toBe('paid');
    expect(await hears(order, { type: 'refund', transaction_id: randomUUID() })).toBe('refunded');
    expect(await hears(order, { ...refund, status: 'Failed' })).toBe('refunded');
    expect(await hears(order)).toBe('refunded');
  });

  itThere(
    'does not tell a customer to pay again when an answer was lost and the next ones are refusals',
    async () => {
      front.losesAnswers();
      const { status, body } = await post('/orders', { phone_number: '+260763456789' });
      expect([status, body.code]).toEqual([202, undefined]);
      await becomes(body.order_id, 'paid');
    },
  );
});
