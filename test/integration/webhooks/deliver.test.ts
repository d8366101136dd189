import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { rotateWebhookSecret, setMerchant, type NewMerchant } from '../../../src/merchants/merchants';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { createDeliverer, type Deliverer, type DelivererOptions } from '../../../src/webhooks/deliver';
import { inTransaction } from '../../../src/store/transaction';
import { listDeliveries, listWebhooks, replayWebhooks, supersede } from '../../../src/webhooks/outbox';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  always,
  box,
  enqueue,
  makeDue,
  memoryLog,
  newMerchant,
  startReceiver,
  type Receiver,
} from '../../support/webhooks/webhook-support';

const sandbox = { environment: 'sandbox' } as const;

let test: TestDatabase;
let log: ReturnType<typeof memoryLog>;
const closing: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
});
beforeEach(() => {
  log = memoryLog();
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((open) => open.close()));
});
afterAll(() => test.drop());

function deliverer(options: Partial<DelivererOptions> = {}): Deliverer {
  const settings = { db: test.db, box, ...sandbox, timeScale: 1, log, random: () => 0.5, ...options };
  const created = createDeliverer(settings);
  closing.push(created);
  return created;
}

async function receiving(...[answer]: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  closing.unshift(receiver);
  return receiver;
}

async function merchantAt(url: string): Promise<NewMerchant> {
  return newMerchant(test.db, { webhookUrl: url });
}

async function webhook(webhookId: string) {
  const [row] = await listWebhooks(test.db, { webhookId });
  if (!row) throw new Error('no such webhook');
  return row;
}

describe('a body with its sending time', () => {
  it('is timestamped and signed again for each attempt, and the rest stays unchanged', async () => {
    const receiver = await receiving((response, n) => response.writeHead(n === 1 ? 500 : 200).end());
    const { merchant_id, webhook_secret } = await merchantAt(receiver.url);
    const written = { status: 'Success', timestamp: '2026-01-05T09:00:00.000Z', amount: '10.00' };
    const webhookId = await enqueue(test.db, merchant_id, { body: written, sentAtField: 'timestamp' });
    expect(await deliverer().deliver(webhookId)).toMatchObject({ kind: 'retry' });
    await makeDue(test.db, webhookId);
    expect(await deliverer().deliver(webhookId)).toEqual({ kind: 'delivered' });

    const sent = receiver.received.map(({ headers, body }) => {
      const text = body.toString();
      const reported = JSON.parse(text) as typeof written;
      expect(new Webhook(webhook_secret).verify(text, headers as Record<string, string>)).toEqual(reported);
      expect(Object.entries({ ...reported, timestamp: written.timestamp })).toEqual(Object.entries(written));
      expect(String(Math.floor(Date.parse(reported.timestamp) / 1_000))).toBe(headers['webhook-timestamp']);
      return reported.timestamp;
    });
    expect(sent).toHaveLength(2);
    expect(sent[0]).not.toBe(sent[1]);
    expect((await webhook(webhookId)).body).toBe(JSON.stringify(written));
  });
});

describe('a merchant who answers 200', () => {
  it('gets exactly the stored text, signed and labelled', async () => {
    const receiver = await receiving(always(200, 'thanks'));
    const { merchant_id, webhook_secret } = await merchantAt(`${receiver.url}/hooks?token=abc`);
    const body = { name: 'Wanjikũ 🥭', amount: 10.5, text: 'a"b\\c\u0000\r\n' };
    const webhookId = await enqueue(test.db, merchant_id, { body });

    expect(await deliverer().deliver(webhookId)).toEqual({ kind: 'delivered' });

    const [request] = receiver.received;
    expect(request).toMatchObject({ method: 'POST', path: '/hooks?token=abc' });
    expect(request?.body.equals(Buffer.from(JSON.stringify(body)))).toBe(true);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-callback-type': 'STK-Push',
      'x-request-id': 'req-1',
      'user-agent': 'Malipo-Webhooks/1',
      'webhook-id': webhookId,
    });
    const headers = request?.headers as Record<string, string>;
    expect(new Webhook(webhook_secret).verify(request?.body.toString() ?? '', headers)).toEqual(body);
    expect(await webhook(webhookId)).toMatchObject({ state: 'delivered', tries: 1 });
    expect(await listDeliveries(test.db, [webhookId])).toMatchObject([
      {
        n: 1,
        url: `${receiver.url}/hooks?token=abc`,
        http_status: 200,
        error: null,
        response_excerpt: 'thanks',
      },
    ]);
  });

  it.each([201, 202, 204])('or %d', async (status) => {
    const receiver = await receiving(always(status));
    const { merchant_id } = await merchantAt(receiver.url);
    expect(await deliverer().deliver(await enqueue(test.db, merchant_id))).toEqual({ kind: 'delivered' });
  });

  it('does not get the same again', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    const { deliver } = deliverer();
    await deliver(webhookId);
    expect(await deliver(webhookId)).toEqual({ kind: 'already_settled' });
    expect(receiver.received).toHaveLength(1);
  });

  it('gets it once from several concurrent workers', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    const workers = Array.from({ length: 6 }, () => deliverer());
    const outcomes = await Promise.all(workers.map((worker) => worker.deliver(webhookId)));
    expect(receiver.received).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'delivered')).toHaveLength(1);
    expect(await listDeliveries(test.db, [webhookId])).toHaveLength(1);
  });

  it('gets the next over the same connection', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    const { deliver } = deliverer();
    for (let i = 0; i < 5; i += 1) await deliver(await enqueue(test.db, merchant_id));
    expect(receiver.received).toHaveLength(5);
    expect(receiver.connections()).toBe(1);
  });

  it('can verify with either secret during a rotation', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id, webhook_secret: previous } = await merchantAt(receiver.url);
    const current = await rotateWebhookSecret(test.db, box, merchant_id);
    await deliverer().deliver(await enqueue(test.db, merchant_id));
    const [request] = receiver.received;
    const headers = request?.headers as Record<string, string>;
    for (const secret of [current, previous]) {
      expect(new Webhook(secret).verify(request?.body.toString() ?? '', headers)).toBeDefined();
    }
  });

  it('gets it even while suspended', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    await setMerchant(test.db, merchant_id, { status: 'suspended' }, sandbox);
    expect(await deliverer().deliver(await enqueue(test.db, merchant_id))).toEqual({ kind: 'delivered' });
  });

  it('gets mobile money callbacks at its callback URL', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await newMerchant(test.db, {
      callbackUrl: `${receiver.url}/callback`,
      webhookUrl: `${receiver.url}/webhook`,
    });
    await deliverer().deliver(await enqueue(test.db, merchant_id, { endpoint: 'callback_url' }));
    expect(receiver.received.map(({ path }) => path)).toEqual(['/callback']);
  });

  it('costs six round trips to the database: read, claim, and a transaction of two statements', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    const verbs: string[] = [];
    const note = ({ sql }: { sql: string }): void => {
      verbs.push(sql.split(/[ ;]/)[0] ?? '');
    };
    test.db.on('query', note);
    await deliverer().deliver(webhookId);
    test.db.removeListener('query', note);
    expect(verbs.map((verb) => verb.toUpperCase())).toEqual([
      'SELECT',
      'UPDATE',
      'BEGIN',
      'UPDATE',
      'INSERT',
      'COMMIT',
    ]);
  });
});

describe('a merchant who fails', () => {
  it('gets it again, with the same id and text, until it is accepted', async () => {
    const receiver = await receiving((response, n) => response.writeHead(n === 1 ? 500 : 200).end('oops'));
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    const { deliver } = deliverer();

    expect(await deliver(webhookId)).toEqual({ kind: 'retry', delayMs: 10_000 });
    expect(await webhook(webhookId)).toMatchObject({ state: 'pending', tries: 1 });
    await makeDue(test.db, webhookId);
    expect(await deliver(webhookId)).toEqual({ kind: 'delivered' });

    const [first, second] = receiver.received;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toEqual(first?.body);
    expect(await listDeliveries(test.db, [webhookId])).toMatchObject([
      { n: 1, http_status: 500, error: 'HTTP 500', response_excerpt: 'oops' },
      { n: 2, http_status: 200, error: null },
    ]);
  });

  it('is not retried before the time', async () => {
    const receiver = await receiving(always(503));
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    const { deliver } = deliverer();
    await deliver(webhookId);
    const early = await deliver(webhookId);
    expect(early.kind).toBe('busy');
    expect((early as { delayMs: number }).delayMs).toBeGreaterThan(8_000);
    expect((early as { delayMs: number }).delayMs).toBeLessThanOrEqual(10_000);
    expect(receiver.received).toHaveLength(1);
  });

  it('gets no more after fourteen attempts, which operators can see', async () => {
    const receiver = await receiving(always(500));
    const { merchant_id } = await merchantAt(`${receiver.url}/hooks?token=abc`);
    const webhookId = await enqueue(test.db, merchant_id);
    const { deliver } = deliverer();
    const outcomes: string[] = [];
    for (let i = 0; i < 14; i += 1) {
      await makeDue(test.db, webhookId);
      outcomes.push((await deliver(webhookId)).kind);
    }
    expect(outcomes).toEqual([...Array<string>(13).fill('retry'), 'dead']);
    expect(receiver.received).toHaveLength(14);
    expect(await webhook(webhookId)).toMatchObject({ state: 'dead', tries: 14 });
    expect(await deliver(webhookId)).toEqual({ kind: 'already_settled' });
    const errors = log.lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ fields: { webhook_id: webhookId, n: 14, http_status: 500 } }]);
    expect(JSON.stringify(log.lines)).not.toContain('token');
  });

  it('can get a failed webhook by a replay later', async () => {
    let isBroken = true;
    const receiver = await receiving((response) => response.writeHead(isBroken ? 500 : 200).end());
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    await test.db('outbox').where({ webhook_id: webhookId }).update({ tries: 13 });
    const { deliver } = deliverer();
    expect(await deliver(webhookId)).toEqual({ kind: 'dead' });
    isBroken = false;
    expect(await replayWebhooks(test.db, { webhookId })).toEqual([webhookId]);
    expect(await deliver(webhookId)).toEqual({ kind: 'delivered' });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([webhookId]),
    );
  });

  it.each([301, 302, 303, 307, 308])('with a redirect (%d) is not followed', async (status) => {
    const elsewhere = await receiving(always(200));
    const receiver = await receiving((response) =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    );
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    expect((await deliverer().deliver(webhookId)).kind).toBe('retry');
    expect(elsewhere.received).toHaveLength(0);
    expect(await listDeliveries(test.db, [webhookId])).toMatchObject([
      { http_status: status, error: `HTTP ${String(status)}: redirects are not followed` },
    ]);
  });

  it('without a server', async () => {
    const receiver = await startReceiver(always(200));
    await receiver.close();
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    expect((await deliverer().deliver(webhookId)).kind).toBe('retry');
    const [delivery] = await listDeliveries(test.db, [webhookId]);
    expect(delivery).toMatchObject({ http_status: null, response_excerpt: null });
    expect(delivery?.error).toContain('ECONNREFUSED');
  });

  it('without TLS', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url.replace('http:', 'https:'));
    expect((await deliverer().deliver(await enqueue(test.db, merchant_id))).kind).toBe('retry');
    expect(receiver.received).toHaveLength(0);
  });

  it('by closing the connection without an answer', async () => {
    const receiver = await receiving((response) => response.destroy());
    const { merchant_id } = await merchantAt(receiver.url);
    expect((await deliverer().deliver(await enqueue(test.db, merchant_id))).kind).toBe('retry');
  });
});

describe('a merchant with an endless answer', () => {
  it('gets a success after a limited time, and the connection is closed', async () => {
    const receiver = await receiving((response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', pour);
      pour();
    });
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    expect(await deliverer().deliver(webhookId)).toEqual({ kind: 'delivered' });
    const [delivery] = await listDeliveries(test.db, [webhookId]);
    expect(delivery?.response_excerpt).toBe('x'.repeat(500));
    expect(delivery?.duration_ms).toBeLessThan(5_000);
  });

  it('with a byte now and then has failed at the deadline', async () => {
    const receiver = await receiving((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => {
        clearInterval(drip);
      });
    });
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    expect((await deliverer({ timeoutMs: 1_500 }).deliver(webhookId)).kind).toBe('retry');
    expect(await listDeliveries(test.db, [webhookId])).toMatchObject([
      { http_status: 200, error: 'no complete answer within 1500 ms' },
    ]);
  });

  it('that never starts has failed at the deadline', async () => {
    const receiver = await receiving(() => undefined);
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    expect((await deliverer({ timeoutMs: 200 }).deliver(webhookId)).kind).toBe('retry');
    const [delivery] = await listDeliveries(test.db, [webhookId]);
    expect(delivery?.http_status).toBeNull();
    expect(delivery?.duration_ms).toBeLessThan(5_000);
  });

  it('with a silent name server has failed at the deadline', async () => {
    const { merchant_id } = await merchantAt('http://shop.example.com/');
    const lookup = () => new Promise<never>(() => undefined);
    const startedAt = Date.now();
    const outcome = await deliverer({ timeoutMs: 200, lookup }).deliver(await enqueue(test.db, merchant_id));
    expect(outcome.kind).toBe('retry');
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  });

  it('that breaks off after its 200 counts as delivered', async () => {
    const receiver = await receiving((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => response.destroy());
    });
    const { merchant_id } = await merchantAt(receiver.url);
    expect(await deliverer().deliver(await enqueue(test.db, merchant_id))).toEqual({ kind: 'delivered' });
  });
});

describe('a slow merchant', () => {
  it('delays no others, and waiting costs it no attempt', async () => {
    const held: ServerResponse[] = [];
    const slow = await receiving((response) => held.push(response));
    const quick = await receiving(always(200));
    const slowId = (await merchantAt(slow.url)).merchant_id;
    const quickId = (await merchantAt(quick.url)).merchant_id;
    const { deliver } = deliverer();

    const slowWebhooks = await Promise.all(Array.from({ length: 12 }, () => enqueue(test.db, slowId)));
    const kinds: string[] = [];
    const stuck = slowWebhooks.map(async (id) => kinds.push((await deliver(id)).kind));
    for (let i = 0; i < 10; i += 1) {
      expect(await deliver(await enqueue(test.db, quickId))).toEqual({ kind: 'delivered' });
    }
    expect(kinds).toEqual(Array<string>(8).fill('busy'));

    for (const response of held) response.writeHead(503).end();
    await Promise.all(stuck);
    expect(kinds.slice(8)).toEqual(Array<string>(4).fill('retry'));
    const tries = (await listWebhooks(test.db, { merchantId: slowId })).map((row) => row.tries);
    expect(tries.filter((n) => n === 0)).toHaveLength(8);
    expect(slow.received).toHaveLength(4);
  });

  it('only gets places for slow merchants afterwards', async () => {
    const held: ServerResponse[] = [];
    let answer = (response: ServerResponse): unknown => setTimeout(() => response.end(), 60);
    const slow = await receiving((response) => answer(response));
    const { merchant_id } = await merchantAt(slow.url);
    const limits = { inFlightMax: 60, awaitedMax: 30, slowMax: 1, perOriginMax: 4 };
    const { deliver } = deliverer({ slowAfterMs: 30, limits });
    expect(await deliver(await enqueue(test.db, merchant_id))).toEqual({ kind: 'delivered' });
    const pair = [await enqueue(test.db, merchant_id), await enqueue(test.db, merchant_id)];
    answer = (response) => held.push(response);
    const reported = pair.map(async (id) => (await deliver(id)).kind);
    // The one place is taken until the other webhook is delivered.
    expect(await Promise.race(reported)).toBe('busy');
    answer = (response) => response.end();
    for (const response of held) response.end();
    expect((await Promise.all(reported)).sort()).toEqual(['busy', 'delivered']);
  });

  it('does not cause repeated requests for a place by each waiting webhook', async () => {
    const held: ServerResponse[] = [];
    let answer = (response: ServerResponse): unknown => setTimeout(() => response.end(), 200);
    const slow = await receiving((response) => answer(response));
    const { merchant_id } = await merchantAt(slow.url);
    const { deliver } = deliverer({
      quickWithinMs: 100,
      limits: { inFlightMax: 60, awaitedMax: 30, slowMax: 20, perOriginMax: 1 },
    });
    expect(await deliver(await enqueue(test.db, merchant_id))).toEqual({ kind: 'delivered' });
    answer = (response) => held.push(response);
    const stuck = deliver(await enqueue(test.db, merchant_id));
    await waitFor(() => Promise.resolve(held.length === 1), {
      what: 'the place to be taken',
      timeoutMs: 10_000,
    });
    const waiting = await enqueue(test.db, merchant_id);
    const delays: number[] = [];
    for (let n = 0; n < 40; n += 1) {
      const outcome = await deliver(waiting);
      delays.push(outcome.kind === 'busy' ? outcome.delayMs : NaN);
    }
    // One place for 200 ms each, so that forty wait some seconds; their retries take time, too.
    expect(Math.max(...delays)).toBeGreaterThan(1_500);
    for (const response of held) response.end();
    expect(await stuck).toEqual({ kind: 'delivered' });
  });

  it('is waited for once, and not again before it is fast', async () => {
    let takesMs = 60;
    const receiver = await receiving((response) => setTimeout(() => response.end(), takesMs));
    const { merchant_id } = await merchantAt(receiver.url);
    const { deliver } = deliverer({ quickWithinMs: 30 });
    const next = async (isAwaited: boolean) =>
      (await deliver(await enqueue(test.db, merchant_id), { isAwaited })).kind;
    expect([await next(true), await next(true)]).toEqual(['delivered', 'busy']);
    takesMs = 0;
    let kind = await next(true);
    // On a busy machine even an immediate answer may take a while.
    while (kind === 'busy') {
      expect(await next(false)).toBe('delivered');
      kind = await next(true);
    }
    expect(kind).toBe('delivered');
  });
});

describe('a merchant without a URL', () => {
  it('gets nothing until it has one and an operator replays', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await newMerchant(test.db);
    const webhookId = await enqueue(test.db, merchant_id);
    const { deliver } = deliverer();
    expect(await deliver(webhookId)).toEqual({ kind: 'unaddressed' });
    expect(await webhook(webhookId)).toMatchObject({ state: 'unaddressed', tries: 0 });
    expect(await listDeliveries(test.db, [webhookId])).toMatchObject([
      { url: null, http_status: null, error: 'the merchant has no webhook_url' },
    ]);
    expect(await deliver(webhookId)).toEqual({ kind: 'already_settled' });

    await setMerchant(test.db, merchant_id, { webhookUrl: receiver.url }, sandbox);
    await replayWebhooks(test.db, { merchantId: merchant_id });
    expect(await deliver(webhookId)).toEqual({ kind: 'delivered' });
  });

  it('is in the log once an hour, however many webhooks wait for it', async () => {
    let now = 0;
    const { deliver } = deliverer({ now: () => now });
    const [one, other] = [await newMerchant(test.db), await newMerchant(test.db)];
    const deliverTo = async (id: string) => deliver(await enqueue(test.db, id));
    for (let n = 0; n < 3; n += 1) {
      expect(await deliverTo(one.merchant_id)).toEqual({ kind: 'unaddressed' });
      expect(await deliverTo(other.merchant_id)).toEqual({ kind: 'unaddressed' });
    }
    const named = () => log.lines.map(({ fields }) => fields['merchant_id']);
    expect(named()).toEqual([one.merchant_id, other.merchant_id]);
    now += 3_600_000;
    await deliverTo(one.merchant_id);
    expect(named()).toEqual([one.merchant_id, other.merchant_id, one.merchant_id]);
  });

  it('gets the next attempt at a corrected URL', async () => {
    const wrong = await receiving(always(404));
    const right = await receiving(always(200));
    const { merchant_id } = await merchantAt(wrong.url);
    const webhookId = await enqueue(test.db, merchant_id);
    const { deliver } = deliverer();
    await deliver(webhookId);
    await setMerchant(test.db, merchant_id, { webhookUrl: right.url }, sandbox);
    await makeDue(test.db, webhookId);
    expect(await deliver(webhookId)).toEqual({ kind: 'delivered' });
  });
});

describe('an internal URL', () => {
  it.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/',
    'http://0x7f000001/',
    'ftp://shop.example.com/',
    'x',
  ])('is not called even when it is in the database: %s', async (url) => {
    const { merchant_id } = await newMerchant(test.db);
    await test.db('merchants').where({ merchant_id }).update({ webhook_url: url });
    const webhookId = await enqueue(test.db, merchant_id);
    expect((await deliverer().deliver(webhookId)).kind).toBe('retry');
    const [delivery] = await listDeliveries(test.db, [webhookId]);
    expect(delivery?.error).toMatch(/^the URL must /);
  });

  it('is not called when its name resolves to an internal address', async () => {
    const { merchant_id } = await merchantAt('http://shop.example.com/');
    const webhookId = await enqueue(test.db, merchant_id);
    const lookup = () => Promise.resolve([{ address: '169.254.169.254', family: 4 }]);
    expect((await deliverer({ lookup }).deliver(webhookId)).kind).toBe('retry');
    const [delivery] = await listDeliveries(test.db, [webhookId]);
    expect(delivery?.error).toContain('not public');
  });

  it('is not called on this machine in live', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    expect((await deliverer({ environment: 'live' }).deliver(await enqueue(test.db, merchant_id))).kind).toBe(
      'retry',
    );
    expect(receiver.connections()).toBe(0);
  });
});

describe('a worker that died', () => {
  it('between claiming a webhook and sending it leaves it to the next one', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id);
    const claimed = { next_at: test.db.raw('UTC_TIMESTAMP(3) + INTERVAL 30 SECOND') };
    await test.db('outbox').where({ webhook_id: webhookId }).update(claimed);
    const { deliver } = deliverer();
    expect((await deliver(webhookId)).kind).toBe('busy');
    await makeDue(test.db, webhookId);
    expect(await deliver(webhookId)).toEqual({ kind: 'delivered' });
  });
});

describe('a webhook that does not exist', () => {
  it('is an error', async () => {
    await expect(deliverer().deliver('00000000-0000-7000-8000-000000000000')).rejects.toThrow(
      'does not exist',
    );
  });
});

describe('a request id that is invalid in a header', () => {
  it('is left out', async () => {
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    const webhookId = await enqueue(test.db, merchant_id, { requestId: 'a\r\nx-evil: 1' });
    expect(await deliverer().deliver(webhookId)).toEqual({ kind: 'delivered' });
    expect(receiver.received[0]?.headers).not.toHaveProperty('x-request-id');
    expect(receiver.received[0]?.headers).not.toHaveProperty('x-evil');
  });
});

describe('a later status of the same payment', () => {
  /** An earlier status whose first attempt is in progress, and gets the test's answer. */
  async function underWay(of: string) {
    let answer: ((status: number) => void) | undefined;
    const receiver = await receiving((response, n) => {
      if (n > 1) response.writeHead(200).end();
      else answer = (status) => response.writeHead(status).end();
    });
    const { merchant_id } = await merchantAt(receiver.url);
    const change = { paymentId: of };
    const earlier = await enqueue(test.db, merchant_id, { ...change, sequence: 3, replaceable: 1 });
    const trying = deliverer().deliver(earlier);
    await waitFor(() => Promise.resolve(answer), { what: 'the first try', timeoutMs: 10_000 });
    const later = await enqueue(test.db, merchant_id, { ...change, sequence: 4, replaces: 2 });
    await inTransaction(test.db, (trx) => supersede(trx, { paymentId: of, by: later, replaces: 2 }));
    return { receiver, earlier, later, trying, answer: (status: number) => answer?.(status) };
  }

  it('waits for the current attempt of an earlier one, which is not repeated', async () => {
    const { receiver, earlier, later, trying, answer } = await underWay(
      '01890000-0000-7000-8000-00000000b001',
    );
    const { deliver } = deliverer();
    expect((await deliver(later)).kind).toBe('busy');
    expect(receiver.received).toHaveLength(1);
    answer(503);
    expect(await trying).toEqual({ kind: 'superseded' });
    expect(await deliver(later)).toEqual({ kind: 'delivered' });
    expect(await deliver(earlier)).toEqual({ kind: 'superseded' });
    expect(receiver.received).toHaveLength(2);
    expect(await webhook(earlier)).toMatchObject({ state: 'superseded', tries: 1, claimed_until: null });
    expect(await listDeliveries(test.db, [earlier])).toMatchObject([{ n: 1, http_status: 503 }]);
  });

  it('finds an earlier one delivered after its attempt in progress was accepted', async () => {
    const { earlier, later, trying, answer } = await underWay('01890000-0000-7000-8000-00000000b002');
    answer(200);
    expect(await trying).toEqual({ kind: 'delivered' });
    expect(await webhook(earlier)).toMatchObject({ state: 'delivered', superseded_by: later });
    expect(await deliverer().deliver(later)).toEqual({ kind: 'delivered' });
  });

  it('waits no longer than the claim of a worker that died with an earlier one', async () => {
    const of = '01890000-0000-7000-8000-00000000b003';
    const receiver = await receiving(always(200));
    const { merchant_id } = await merchantAt(receiver.url);
    const earlier = await enqueue(test.db, merchant_id, { paymentId: of, sequence: 3, replaceable: 1 });
    const later = await enqueue(test.db, merchant_id, { paymentId: of, sequence: 4, replaces: 2 });
    const claimedUntil = (sql: string) =>
      test
        .db('outbox')
        .where({ webhook_id: earlier })
        .update({ claimed_until: test.db.raw(sql) });
    await claimedUntil('UTC_TIMESTAMP(3) + INTERVAL 20 SECOND');
    const { deliver } = deliverer();
    expect((await deliver(later)).kind).toBe('busy');
    await claimedUntil('UTC_TIMESTAMP(3) - INTERVAL 1 SECOND');
    expect(await deliver(later)).toEqual({ kind: 'delivered' });
  });
});
