/** `malipo listen` while the API is busy, fails, restarts or cannot be reached: it loses no event. */
import { PaymentError } from '../../../src/domain/errors';
import { recordEvents } from '../../../src/events/record-events';
import { eventsEndpoint } from '../../../src/api/events';
import { webhookEndpoints } from '../../../src/api/webhooks';
import { runDeveloper } from '../../../packages/cli/run';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openDatabase, type Database } from '../../../src/store/database';
import { enqueueWebhook } from '../../../src/webhooks/outbox';
import { merchant, serve, type Served } from '../../support/api/serve';
import { insertMerchant, insertPayment } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver';
import { startUnsteadyFront, type Trouble, type UnsteadyFront } from './unsteady-front';

const feed = '/api/v1/events';

let test: TestDatabase;
let db: Database;
let api: Served;
let front: UnsteadyFront;
/** The server of the developer. */
let server: WebhookReceiver;
/** The id of the only event, which one webhook carries. */
let eventId: string;

beforeAll(async () => {
  test = await createTestDatabase();
  db = openDatabase(test.url, { poolMax: 4 });
  const merchantId = await insertMerchant(db);
  const paymentId = await insertPayment(db, { merchant_id: merchantId });
  const noTests = { send: () => Promise.reject(new Error('none is sent')) };
  const services = { db, signalOrStart: () => Promise.resolve(), tests: noTests };
  api = await serve({
    endpoints: [eventsEndpoint(db), ...webhookEndpoints(services)],
    authenticate: ({ apiKey }) =>
      apiKey === 'pk_test_1'
        ? Promise.resolve({ ...merchant, merchant_id: merchantId })
        : Promise.reject(new PaymentError('INVALID_CREDENTIALS')),
  });
  await db.transaction(async (trx) => {
    const payment = { merchantId, paymentId, callbackType: 'STK-Push', body: { status: 'Success' } };
    eventId = await enqueueWebhook(trx, {
      ...{ ...payment, toState: 'succeeded', endpoint: 'webhook_url', requestId: null },
    });
    await recordEvents(trx, [{ ...payment, eventId, rail: 'stk', type: 'deposit.succeeded' }]);
  });
  server = await startReceiver();
});
beforeEach(async () => {
  front = await startUnsteadyFront(api.url);
  server.received.length = 0;
});
afterEach(() => front.close());
afterAll(async () => {
  await server.close();
  await api.close();
  await db.destroy();
  await test.drop();
});

async function listen(
  args: string[],
  keys: (press: (key: string) => void) => void = () => undefined,
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runDeveloper(['listen', '--forward-to', server.url, '--json', ...args], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    env: { MALIPO_URL: front.url, MALIPO_API_KEY: 'pk_test_1', MALIPO_API_SECRET: 'sk_test_1' },
    folder: '/nowhere',
    keys(press) {
      keys(press);
      return () => undefined;
    },
  });
  return { code, out, err };
}

const kinds = [429, 500, 503, 'proxy', 'reset', 'cut'] as const;
/** More often than the client repeats a call that got a 429. */
const forLong = (trouble: Trouble) => Array.from({ length: trouble === 429 ? 6 : 2 }, () => trouble);

describe('malipo listen', () => {
  it.each(kinds)('forwards an event after the feed failed with: %s', async (trouble) => {
    front.trouble(feed, forLong(trouble));
    const { code, err } = await listen(['--from-beginning', '--limit', '1']);
    expect([code, err]).toEqual([0, expect.stringContaining('Trying again')]);
    expect(server.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId]);
  });

  it('requests only the feed, because the request log is for the shop', async () => {
    expect((await listen(['--from-beginning', '--limit', '1'])).code).toBe(0);
    expect([front.asked(feed), front.asked('')]).toEqual([1, 1]);
  });

  it('starts while the API fails, and prints the same error once', async () => {
    front.trouble(feed, [503, 503, 503]);
    let press: (key: string) => void = () => undefined;
    const listening = listen([], (pressed) => (press = pressed));
    await waitFor(() => Promise.resolve(front.asked(feed) >= 5), { what: 'the feed', timeoutMs: 60_000 });
    press('q');
    const { code, err } = await listening;
    expect([code, err]).toEqual([0, 'The API cannot answer now: Not now (503 PLAYED) Trying again.\n']);
  });
});
