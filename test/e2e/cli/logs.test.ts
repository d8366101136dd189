/** `malipo logs`, and the log of requests behind it: what is kept of whom, for how long, and what is not. */
import { v7 as uuid } from 'uuid';
import { runDeveloper } from '../../../packages/cli/run';
import { requestJob } from '../../../src/worker/prune/prune';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openDatabase } from '../../../src/store/database';
import { requestLog, type NotedRequest } from '../../../src/merchants/request-log';
import { change } from '../../support/events/event-stage';
import { insertPayment } from '../../support/store/rows';
import { call } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

let stack: Stack;
let merchant: TestMerchant;
beforeAll(async () => {
  stack = await startStack({ without: ['worker', 'simulator'] });
  merchant = await stack.createMerchant();
});
afterAll(() => stack.stop());

interface Shown {
  at: string;
  request_id: string;
  path: string;
  status: number;
  code: string | null;
  duration_ms: number;
}

async function logs(...args: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const code = await runDeveloper(['logs', ...args], {
    out: (text) => (out += text),
    err: (text) => (out += text),
    env: {
      MALIPO_URL: stack.apiUrl,
      MALIPO_API_KEY: merchant.apiKey,
      MALIPO_API_SECRET: merchant.apiSecret,
    },
    folder: '/nowhere',
  });
  return { code, out };
}
const shown = async (...args: string[]) => JSON.parse((await logs('--json', ...args)).out) as Shown[];
const kept = (request_id: string) => stack.db('api_requests').where({ request_id });
const isKept = (requestId: string) =>
  waitFor(async () => (await kept(requestId)).length > 0, {
    what: `${requestId} in the log`,
    timeoutMs: 20_000,
  });

const noted = (changes: Partial<NotedRequest> = {}): NotedRequest => ({
  ...{ merchant_id: merchant.merchantId, request_id: uuid(), method: 'GET', path: '/api/v1/payments' },
  ...{ status: 200, code: null, duration_ms: 3, ...changes },
});

describe('malipo logs', () => {
  it('shows what was asked and how it was answered, newest first, and nothing that was in it', async () => {
    const [taken, refused] = [uuid(), uuid()];
    const phone = '254799887766';
    await call(stack, merchant, 'GET', '/api/v1/payments?reference=SECRET-1', undefined, {
      'X-Request-Id': taken,
    });
    await call(
      stack,
      merchant,
      'POST',
      '/api/v1/stk_push',
      { phone_number: phone },
      { 'X-Request-Id': refused },
    );
    await isKept(refused);
    expect(await shown()).toEqual([
      {
        ...{ request_id: refused, method: 'POST', path: '/api/v1/stk_push', status: 400 },
        ...{ code: 'VALIDATION_FAILED', at: expect.stringMatching(/Z$/), duration_ms: expect.any(Number) },
      },
      expect.objectContaining({ request_id: taken, path: '/api/v1/payments', status: 200, code: null }),
    ]);
    expect((await shown('--refused')).map(({ request_id: id }) => id)).toEqual([refused]);
    expect((await shown('--request', taken)).map(({ request_id: id }) => id)).toEqual([taken]);
    const { out } = await logs('--code', 'VALIDATION_FAILED');
    expect(out).toMatch(/400 +POST +\/api\/v1\/stk_push +VALIDATION_FAILED +\d+ ms/);
    expect(await logs('--code', 'NOT_THERE')).toEqual({
      code: 0,
      out: 'There is no such request in the last 7 days.\n',
    });
    const rows = JSON.stringify(await stack.db('api_requests'));
    for (const secret of [phone, 'SECRET-1', merchant.apiKey, merchant.apiSecret])
      expect(rows).not.toContain(secret);
  });

  it('keeps nothing of callers without right keys, nor of whoever reads it', async () => {
    const ids = Array.from({ length: 4 }, () => uuid());
    const [wrong = '', named = '', reader = '', last = ''] = ids;
    const body = { merchant_id: merchant.merchantId, merchant_ref: 'R-1' };
    const other = { ...merchant, apiSecret: 'sk_test_wrong' };
    await call(stack, other, 'GET', '/api/v1/payments', undefined, { 'X-Request-Id': wrong });
    await call(stack, undefined, 'POST', '/api/cardproc/submit_order.php', body, { 'X-Request-Id': named });
    await call(stack, merchant, 'GET', '/api/v1/requests', undefined, { 'X-Request-Id': reader });
    await call(stack, merchant, 'GET', '/api/v1/query_balance', undefined, { 'X-Request-Id': last });
    await isKept(last);
    for (const id of [wrong, named, reader]) expect(await kept(id)).toEqual([]);
  });

  it('keeps no look at the feed of events that brought none, but each that did or was refused', async () => {
    const ids = Array.from({ length: 3 }, () => uuid());
    const [empty = '', lost = '', full = ''] = ids;
    const check = (id: string, query = '') =>
      call(stack, merchant, 'GET', `/api/v1/events${query}`, undefined, { 'X-Request-Id': id });
    await check(empty);
    await check(lost, '?after=nonsense');
    const { merchantId } = merchant;
    const paymentId = await insertPayment(stack.db, { merchant_id: merchantId });
    await stack.db.transaction((trx) => change(trx, { merchantId, paymentId }));
    await check(full);
    await isKept(full);
    expect([await kept(empty), await kept(lost)]).toMatchObject([[], [{ status: 400 }]]);
  });

  it('is of one merchant, in pages', async () => {
    const neighbour = await stack.createMerchant();
    const log = requestLog(stack.db);
    for (let n = 0; n < 205; n += 1) log.note(noted({ code: 'PAGED', status: 409 }));
    log.note(noted({ merchant_id: neighbour.merchantId, code: 'PAGED', status: 409 }));
    expect(await log.write()).toBe(0);
    expect(await shown('--code', 'PAGED', '--limit', '1000')).toHaveLength(205);
    expect(await shown('--limit', '120')).toHaveLength(120);
  });

  it('ends after seven days, and is pruned then', async () => {
    const old = noted({ code: 'OLD', status: 409 });
    for (const days of [6, 8]) {
      const created_at = new Date(Date.now() - days * 86_400_000);
      await stack.db('api_requests').insert({ entry_id: uuid(), ...old, created_at });
    }
    expect(await shown('--code', 'OLD')).toHaveLength(1);
    expect([await requestJob.count(stack.db), await requestJob.takeSome(stack.db)]).toEqual([
      1,
      { taken: 1, isMore: false },
    ]);
    expect(await stack.db('api_requests').where({ code: 'OLD' })).toHaveLength(1);
  });
});

describe('the log of requests', () => {
  it('holds no more than it may while nothing is written, and says how much it left out', async () => {
    const log = requestLog(stack.db);
    for (let n = 0; n < 5_003; n += 1) log.note(noted({ code: 'MANY' }));
    expect(await log.write()).toBe(3);
    const [{ n } = { n: 0 }] = await stack
      .db('api_requests')
      .where({ code: 'MANY' })
      .count<{ n: number }[]>({ n: '*' });
    expect(String(n)).toBe('5000');
    expect(await log.write()).toBe(0);
  });

  it('goes on after a write whose answer was lost, and has each request once', async () => {
    const db = openDatabase(stack.env['DATABASE_URL'] ?? '', { poolMax: 1 });
    const log = requestLog(db);
    log.note(noted({ code: 'UNSURE' }));
    db.once('query-response', () => {
      throw new Error('the line dropped');
    });
    await expect(log.write()).rejects.toThrow('the line dropped');
    log.note(noted({ code: 'UNSURE' }));
    await log.write();
    expect(await stack.db('api_requests').where({ code: 'UNSURE' })).toHaveLength(2);
    await db.destroy();
  });
});
