import { Webhook } from 'standardwebhooks';
import { PaymentError } from '../../../src/domain/errors';
import { webhookEndpoints } from '../../../src/api/webhooks';
import { openDatabase, type Database } from '../../../src/store/database';
import { everyScope } from '../../../src/merchants/api-keys';
import type { MerchantRow } from '../../../src/store/tables';
import { createDeliverer } from '../../../src/webhooks/deliver';
import { createTestSender } from '../../../src/webhooks/send-test';
import { silentLog } from '../../support/silent-log';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  always,
  box,
  enqueue,
  newMerchant,
  paymentId,
  startReceiver,
  type Receiver,
} from '../../support/webhooks/webhook-support';
import { errorOf, serve, type Served } from '../../support/api/serve';

const path = '/api/v1/webhooks';
const deliveriesPath = (id: string) => `/api/v1/webhooks/{webhook_id}/deliveries`.replace('{webhook_id}', id);
const resendPath = (id: string) => `/api/v1/webhooks/{webhook_id}/resend`.replace('{webhook_id}', id);
const testPath = '/api/v1/webhooks/test';

let test: TestDatabase;
let db: Database;
let api: Served;
let receiver: Receiver;
let secret: string;
let merchants: Record<string, MerchantRow>;
let others: string;
const signalled: string[] = [];
const sender = createTestSender({ box, environment: 'sandbox' });

beforeAll(async () => {
  test = await createTestDatabase();
  db = openDatabase(test.url, { poolMax: 4 });
  receiver = await startReceiver(always(200, 'thanks'));
  const [own, foreign] = [
    await newMerchant(test.db, { webhookUrl: receiver.url }),
    await newMerchant(test.db),
  ];
  secret = own.webhook_secret;
  const rowOf = async (merchantId: string) => {
    const row = await test.db('merchants').where({ merchant_id: merchantId }).first();
    if (!row) throw new Error('no such merchant');
    return row;
  };
  merchants = { pk_test_1: await rowOf(own.merchant_id), pk_test_2: await rowOf(foreign.merchant_id) };
  others = await enqueue(test.db, foreign.merchant_id);
  const signalOrStart = (id: string) => {
    signalled.push(id);
    return Promise.resolve();
  };
  api = await serve({
    endpoints: webhookEndpoints({ db, signalOrStart, tests: sender }),
    authenticate({ apiKey }) {
      const merchant = merchants[apiKey];
      return merchant
        ? Promise.resolve({ ...merchant, key_scopes: everyScope })
        : Promise.reject(new PaymentError('INVALID_CREDENTIALS'));
    },
  });
});
afterAll(async () => {
  await api.close();
  await sender.close();
  await receiver.close();
  await db.destroy();
  await test.drop();
});

const ownId = () => merchants['pk_test_1']?.merchant_id ?? '';
const settle = (webhookId: string, changes: object = {}) =>
  test
    .db('outbox')
    .where({ webhook_id: webhookId })
    .update({ state: 'delivered', tries: 1, settled_at: new Date(), ...changes });

interface Listed {
  webhooks: { webhook_id: string; state: string }[];
  next_cursor: string | null;
}
const listed = async (query: Record<string, string> = {}) =>
  (await (await api.get(`${path}?${new URLSearchParams(query).toString()}`)).json()) as Listed;
const idsOf = ({ webhooks }: Listed) => webhooks.map(({ webhook_id: id }) => id);

describe('GET /api/v1/webhooks', () => {
  it('200 lists the webhooks of one merchant, newest first, by pages and filters', async () => {
    const written: string[] = [];
    for (let n = 0; n < 3; n += 1) written.unshift(await enqueue(test.db, ownId()));
    await settle(written[1] ?? '');
    const all = await listed();
    expect(idsOf(all)).toEqual(written);
    expect(all.webhooks[1]).toEqual({
      ...{ webhook_id: written[1], payment_id: paymentId, payment_state: 'succeeded', tries: 1 },
      ...{ callback_type: 'STK-Push', endpoint: 'webhook_url', state: 'delivered', next_at: null },
      ...{ sequence: null, superseded_by: null },
      ...{ created_at: expect.any(String) as string, settled_at: expect.any(String) as string },
    });
    expect(idsOf(await listed({ state: 'delivered' }))).toEqual([written[1]]);
    expect(idsOf(await listed({ payment_id: paymentId, limit: '2' }))).toEqual(written.slice(0, 2));
    expect(idsOf(await listed({ payment_id: 'nonsense' }))).toEqual([]);
    const { next_cursor: cursor } = await listed({ limit: '2' });
    const rest = await listed({ limit: '2', cursor: cursor ?? '' });
    expect([idsOf(rest), rest.next_cursor]).toEqual([written.slice(2), null]);
  });

  it.each([
    [{ state: 'lost' }, 'state'],
    [{ cursor: 'nonsense' }, 'cursor'],
  ])('400 for %j', async (query, field) => {
    const response = await api.get(`${path}?${new URLSearchParams(query as never).toString()}`);
    expect([response.status, (await errorOf(response)).details?.[0]?.field]).toEqual([400, field]);
  });
});

describe('GET /api/v1/webhooks/{webhook_id}/deliveries', () => {
  it('200 lists each attempt: time, duration and result', async () => {
    const webhookId = await enqueue(test.db, ownId());
    const deliverer = createDeliverer({ db, box, environment: 'sandbox', timeScale: 1, log: silentLog });
    await deliverer.deliver(webhookId);
    await deliverer.close();
    const response = await api.get(deliveriesPath(webhookId));
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        success: true,
        webhook: expect.objectContaining({ webhook_id: webhookId, state: 'delivered' }) as object,
        deliveries: [
          {
            ...{ n: 1, at: expect.any(String) as string, url: receiver.url, http_status: 200, error: null },
            ...{ duration_ms: expect.any(Number) as number, response_excerpt: 'thanks' },
          },
        ],
      },
    ]);
  });
});

describe('POST /api/v1/webhooks/{webhook_id}/resend', () => {
  it('200 makes a delivered webhook due again, and wakes its payment', async () => {
    const webhookId = await enqueue(test.db, ownId());
    await settle(webhookId);
    signalled.length = 0;
    const response = await api.post(resendPath(webhookId), {});
    expect([response.status, await response.json()]).toEqual([
      200,
      { success: true, webhook: expect.objectContaining({ state: 'pending', tries: 0 }) as object },
    ]);
    expect(signalled).toEqual([paymentId]);
  });

  it('409 once its body is deleted', async () => {
    const webhookId = await enqueue(test.db, ownId());
    await settle(webhookId, { body: '', body_pruned_at: new Date() });
    const response = await api.post(resendPath(webhookId), {});
    expect([response.status, (await errorOf(response)).code]).toEqual([409, 'WEBHOOK_NOT_KEPT']);
  });
});

describe("another merchant's webhook, or an unknown one", () => {
  it.each([
    ['deliveries', (id: string) => api.get(deliveriesPath(id))],
    ['resend', (id: string) => api.post(resendPath(id), {})],
  ])('is 404 at %s', async (_what, ask) => {
    await settle(others);
    for (const id of [others, '01890000-0000-7000-8000-00000000000f', 'nonsense', '%F0%9F%A5%AD']) {
      const response = await ask(id);
      expect([response.status, (await errorOf(response)).code]).toEqual([404, 'WEBHOOK_NOT_FOUND']);
    }
    const [row] = await test.db('outbox').where({ webhook_id: others });
    expect(row?.state).toBe('delivered');
  });
});

describe('POST /api/v1/webhooks/test', () => {
  it('200 sends one signed webhook, and reports the answer', async () => {
    const before = receiver.received.length;
    const response = await api.post(testPath, {});
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body]).toMatchObject([
      200,
      { success: true, delivered: true, http_status: 200, error: null, response_excerpt: 'thanks' },
    ]);
    const [received, ...more] = receiver.received.slice(before);
    expect(more).toEqual([]);
    const text = received?.body.toString('utf8') ?? '';
    const verified = new Webhook(secret).verify(text, received?.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'test', event_id: body['webhook_id'] });
    expect(idsOf(await listed({ limit: '100' }))).not.toContain(body['webhook_id']);
  });

  it('200 reports a failure, too', async () => {
    const failing = await startReceiver(always(500, 'out of order'));
    const own = merchants['pk_test_1'] as MerchantRow;
    merchants['pk_test_3'] = { ...own, webhook_url: failing.url };
    const response = await api.post(testPath, {}, { 'X-API-Key': 'pk_test_3' });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { delivered: false, http_status: 500, error: 'HTTP 500', response_excerpt: 'out of order' },
    ]);
    expect(failing.received).toHaveLength(1);
    await failing.close();
  });

  it.each([
    ['callback_url', 'pk_test_1'],
    ['webhook_url', 'pk_test_2'],
  ])('409 without a %s', async (endpoint, key) => {
    const response = await api.post(testPath, { endpoint }, { 'X-API-Key': key });
    expect([response.status, (await errorOf(response)).code]).toEqual([409, 'WEBHOOK_WITHOUT_ADDRESS']);
  });

  it('409 for an internal address, and 400 for an unknown endpoint', async () => {
    const live = createTestSender({ box, environment: 'live' });
    const inside = { ...merchants['pk_test_1'], webhook_url: 'https://10.0.0.1/' } as MerchantRow;
    await expect(live.send(inside, 'webhook_url')).rejects.toMatchObject({ code: 'WEBHOOK_WITHOUT_ADDRESS' });
    await live.close();
    expect((await api.post(testPath, { endpoint: 'return_url' })).status).toBe(400);
  });
});
