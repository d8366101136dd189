import { PaymentError } from '../../../src/domain/errors';
import { eventsEndpoint } from '../../../src/api/events';
import { openDatabase, type Database } from '../../../src/store/database';
import { change, numberIn } from '../../support/events/event-stage';
import { insertMerchant, insertPayment } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { errorOf, merchant, serve, type Served } from '../../support/api/serve';

const path = '/api/v1/events';

let test: TestDatabase;
let db: Database;
let api: Served;
let own: { merchantId: string; paymentId: string };
let others: typeof own;

beforeAll(async () => {
  test = await createTestDatabase();
  db = openDatabase(test.url, { poolMax: 4 });
  const created = async () => {
    const merchantId = await insertMerchant(test.db);
    return { merchantId, paymentId: await insertPayment(test.db, { merchant_id: merchantId }) };
  };
  [own, others] = [await created(), await created()];
  api = await serve({
    endpoints: [eventsEndpoint(db)],
    authenticate({ apiKey }) {
      if (apiKey === 'pk_test_1') return Promise.resolve({ ...merchant, merchant_id: own.merchantId });
      if (apiKey === 'pk_test_2') return Promise.resolve({ ...merchant, merchant_id: others.merchantId });
      return Promise.reject(new PaymentError('INVALID_CREDENTIALS'));
    },
  });
  await db.transaction(async (trx) => {
    await change(trx, own, 1, 'deposit.created');
    await change(trx, others, 9, 'deposit.created');
    await change(trx, own, 2, 'deposit.pending');
    await change(trx, own, 3, 'deposit.succeeded');
    await change(trx, own, 4, 'refund.succeeded');
  });
});
afterAll(async () => {
  await api.close();
  await db.destroy();
  await test.drop();
});

interface Reported {
  success: boolean;
  events: (Record<string, unknown> & { data: object })[];
  next_cursor: string;
  has_more: boolean;
}
const reported = async (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  (await (await api.get(`${path}?${new URLSearchParams(query).toString()}`, headers)).json()) as Reported;
const numbers = ({ events }: Reported) => events.map(({ data }) => numberIn(data));

describe('GET /api/v1/events', () => {
  describe('200', () => {
    it('returns each change with the body of its webhook', async () => {
      const { events, ...rest } = await reported({ limit: '1' });
      expect(rest).toEqual({ success: true, next_cursor: expect.any(String) as string, has_more: true });
      expect(events).toEqual([
        {
          id: expect.any(String) as string,
          type: 'deposit.created',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
          payment_id: own.paymentId,
          rail: 'stk',
          callback_type: 'STK-Push',
          has_webhook: false,
          data: expect.objectContaining({ payment_id: own.paymentId, account_reference: '1' }) as object,
        },
      ]);
    });

    it('continues after a cursor, and returns the same cursor when nothing is new', async () => {
      const first = await reported({ limit: '3' });
      const second = await reported({ after: first.next_cursor });
      const third = await reported({ after: second.next_cursor });
      expect([numbers(first), numbers(second), numbers(third)]).toEqual([[1, 2, 3], [4], []]);
      expect([first.has_more, second.has_more, third.has_more]).toEqual([true, false, false]);
      expect(third.next_cursor).toBe(second.next_cursor);
    });

    it.each([
      ['deposit.succeeded', [3]],
      ['deposit.created,refund.*', [1, 4]],
      ['payout.*', []],
    ])('returns only %s with this filter', async (types, expected) => {
      const page = await reported({ types });
      expect(numbers(page)).toEqual(expected);
      const next = await reported({ after: page.next_cursor });
      expect(numbers(next)).toEqual([]);
    });

    it('stops at the last match when a page is full', async () => {
      const page = await reported({ types: 'deposit.*', limit: '2' });
      expect([numbers(page), page.has_more]).toEqual([[1, 2], true]);
      expect(numbers(await reported({ after: page.next_cursor }))).toEqual([3, 4]);
    });

    it("returns no other merchant's events", async () => {
      expect(numbers(await reported({}, { 'X-API-Key': 'pk_test_2' }))).toEqual([9]);
    });
  });

  describe('400', () => {
    it.each([
      [{ after: 'nonsense' }, 'after'],
      [{ types: 'deposit.paid' }, 'types'],
      [{ types: 'deposit.created,' }, 'types'],
      [{ limit: '0' }, 'limit'],
      [{ limit: '501' }, 'limit'],
      [{ limit: '1e9' }, 'limit'],
      [{ limit: '1000000000' }, 'limit'],
      [{ limit: '-1' }, 'limit'],
      [{ limit: '1.5' }, 'limit'],
      [{ types: '*' }, 'types'],
      [{ types: 'deposit.*,__proto__' }, 'types'],
      [{ types: 'x'.repeat(1_001) }, 'types'],
      // Positions of no event of the merchant, and one with the id of another event.
      [{ after: Buffer.from('999999999999999.x').toString('base64url') }, 'after'],
      [{ after: Buffer.from(`999999999999999.${'a'.repeat(36)}`).toString('base64url') }, 'after'],
      [{ after: Buffer.from(`2.${'0'.repeat(36)}`).toString('base64url') }, 'after'],
      [{ after: Buffer.from('-1.').toString('base64url') }, 'after'],
      [{ after: Buffer.from("1.' OR 1=1").toString('base64url') }, 'after'],
      [{ after: 'A'.repeat(101) }, 'after'],
    ])('rejects %j', async (query, field) => {
      const response = await api.get(`${path}?${new URLSearchParams(query as never).toString()}`);
      const { code, details } = await errorOf(response);
      expect([response.status, code, details?.[0]?.field]).toEqual([400, 'VALIDATION_FAILED', field]);
    });

    it("rejects another merchant's cursor", async () => {
      const { next_cursor: after } = await reported({}, { 'X-API-Key': 'pk_test_2' });
      const response = await api.get(`${path}?${new URLSearchParams({ after }).toString()}`);
      expect([response.status, (await errorOf(response)).details?.[0]?.field]).toEqual([400, 'after']);
    });
  });

  it('401 without keys', async () => {
    const response = await api.get(path, { 'X-API-Key': 'pk_test_3' });
    expect([response.status, (await errorOf(response)).code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('400 for a repeated parameter', async () => {
    const response = await api.get(`${path}?limit=1&limit=500`);
    expect([response.status, (await errorOf(response)).code]).toEqual([400, 'INVALID_QUERY']);
  });

  it('410 when later events were deleted', async () => {
    const { next_cursor: after } = await reported({ limit: '1' });
    await test.db('event_heads').where({ merchant_id: own.merchantId }).update({ forgotten_position: '2' });
    await test.db('events').where({ merchant_id: own.merchantId }).where('position', '<=', 2).delete();
    const response = await api.get(`${path}?${new URLSearchParams({ after }).toString()}`);
    expect([response.status, (await errorOf(response)).code]).toEqual([410, 'CURSOR_EXPIRED']);
    expect(numbers(await reported())).toEqual([3, 4]);
  });
});
