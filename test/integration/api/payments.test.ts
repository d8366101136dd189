import { PaymentError } from '../../../src/domain/errors';
import { paymentsEndpoints } from '../../../src/api/payments';
import { nextStep } from '../../../src/rails/stk/status';
import { listPayments } from '../../../src/payments/read/list-payments';
import { openDatabase, type Database } from '../../../src/store/database';
import { listCursorOf } from '../../../src/store/list-cursor';
import type { PaymentRow } from '../../../src/store/tables';
import { insertMerchant, insertOpenPayments, insertPayment } from '../../support/store/rows';
import { rowsRead } from '../../support/store/rows-read';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { errorOf, merchant, serve, type Served } from '../../support/api/serve';

const path = '/api/v1/payments';
/** Besides `/api/v1/payments/{payment_id}`, each rail's own status. */
const pathOf = (id: string) => `${path}/${id}`;

let test: TestDatabase;
let db: Database;
let api: Served;
let own: string;
let others: string;
/** By their names below. */
const ids: Record<string, string> = {};

const uuid = '01890000-0000-7000-8000-000000000000';
const at = (hour: number) => new Date(Date.UTC(2026, 0, 5, hour));

beforeAll(async () => {
  test = await createTestDatabase();
  db = openDatabase(test.url, { poolMax: 4 });
  [own, others] = [await insertMerchant(test.db), await insertMerchant(test.db)];
  const insert = async (name: string, changes: Partial<PaymentRow>) => {
    ids[name] = await insertPayment(test.db, { merchant_id: own, accepted_at: at(0), ...changes });
  };
  await insert('first', { created_at: at(1), order_id: 'A-1', phone_number: '254700000123' });
  await insert('paid', {
    ...{ created_at: at(2), account_reference: 'A-1', phone_number: '254700000999' },
    ...{ state: 'succeeded', is_final: 1, confirmed_minor: '125000', provider_receipt: 'TKL7SE91QF' },
    ...{ finished_at: at(3) },
  });
  await insert('refused', {
    ...{ created_at: at(3), state: 'failed', is_final: 1, requested_minor: '5000', instructed_minor: '5000' },
    ...{ failure_code: 'PROVIDER_ACCOUNT_REFUSED', result_text: 'the key of our account is wrong' },
  });
  await insert('payout', {
    ...{ created_at: at(4), rail: 'momo', kind: 'payout', state: 'queued', currency: 'ZMW' },
    ...{ instructed_currency: 'ZMW' },
  });
  ids['foreign'] = await insertPayment(test.db, { merchant_id: others, created_at: at(5), order_id: 'A-1' });
  const log = { payment_id: ids['paid'] ?? '', cause: 'callback', evidence: 'inbox 1' };
  await test.db('payment_log').insert([
    { ...log, from_state: 'received', to_state: 'initiating', at: at(2) },
    { ...log, from_state: 'initiating', to_state: 'pending', at: at(2) },
    { ...log, from_state: 'pending', to_state: 'succeeded', at: at(3) },
  ] as never);
  api = await serve({
    endpoints: paymentsEndpoints({ db, rails: [{ name: 'stk', nextStep }], timezone: 'Africa/Nairobi' }),
    authenticate({ apiKey }) {
      if (apiKey === 'pk_test_1') return Promise.resolve({ ...merchant, merchant_id: own });
      return Promise.reject(new PaymentError('INVALID_CREDENTIALS'));
    },
  });
});
afterAll(async () => {
  await api.close();
  await db.destroy();
  await test.drop();
});

interface Listed {
  payments: { payment_id: string }[];
  next_cursor: string | null;
}
async function listed(query: Record<string, string> = {}): Promise<Listed> {
  return (await (await api.get(`${path}?${new URLSearchParams(query).toString()}`)).json()) as Listed;
}
const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id);
const names = ({ payments }: Listed) => payments.map(({ payment_id: id }) => nameOf(id));

describe('GET /api/v1/payments', () => {
  describe('200', () => {
    it('lists the payments of one merchant, newest first, in one shape', async () => {
      const page = await listed();
      expect([names(page), page.next_cursor]).toEqual([['payout', 'refused', 'paid', 'first'], null]);
      expect(page.payments[2]).toEqual({
        ...{ payment_id: ids['paid'], rail: 'stk', type: 'deposit', state: 'succeeded', is_final: true },
        next_step: expect.objectContaining({ code: 'paid', safe_to_repeat: false }) as unknown,
        sequence: expect.any(Number) as number,
        ...{ amount: '1250.00', currency: 'KES', confirmed_amount: '1250.00', confirmed_currency: 'KES' },
        ...{ order_id: null, reference: 'A-1', phone_number: '254700000999', provider: 'daraja' },
        ...{ provider_reference: null, receipt: 'TKL7SE91QF', deposit_id: null, correction: false },
        ...{ failure_code: null, failure_message: null, created_at: at(2).toISOString() },
        ...{ updated_at: expect.any(String) as string, finished_at: at(3).toISOString() },
      });
    });

    it("contains the customer's next step, from the rail or from the state", async () => {
      const { payments } = (await listed()) as unknown as { payments: { next_step: { code: string } }[] };
      const codes = payments.map(({ next_step: { code } }) => code);
      expect(codes).toEqual(['money_waits', 'ask_seller', 'paid', 'enter_pin']);
    });

    it("describes a provider's rejection in our own words", async () => {
      const [refused] = (await listed({ state: 'failed' })).payments;
      expect(refused).toMatchObject({
        failure_code: 'PROVIDER_ACCOUNT_REFUSED',
        failure_message: 'The provider rejected our account; operators have been notified',
      });
    });

    it.each([
      [{ rail: 'momo' }, ['payout']],
      [{ type: 'payout' }, ['payout']],
      [{ state: 'created' }, ['first']],
      [{ state: 'succeeded' }, ['paid']],
      [
        { created_from: '2026-01-05T02:00:00Z', created_before: '2026-01-05T05:00:00+01:00' },
        ['refused', 'paid'],
      ],
      // A day starts at midnight in Nairobi, which is 21:00 UTC of the day before.
      [{ created_from: '2026-01-06' }, []],
      [{ currency: 'ZMW' }, ['payout']],
      [{ currency: 'KES', amount: '50' }, ['refused']],
      [{ reference: 'A-1' }, ['paid', 'first']],
      [{ reference: 'a-1' }, []],
      [{ phone_ends: '999' }, ['paid']],
      [{ reference: 'A-1', phone_ends: '123' }, ['first']],
    ])('by %j', async (query, expected) => {
      expect(names(await listed(query as never))).toEqual(expected);
    });

    it.each([{}, { currency: 'KES' }, { reference: 'A-1' }])(
      'in pages that are complete together, by %j',
      async (query) => {
        const pages: (string | undefined)[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page: Listed = await listed({ ...query, limit: '1', ...(cursor ? { cursor } : {}) });
          pages.push(...names(page));
          cursor = page.next_cursor;
        }
        expect(pages).toEqual(names(await listed(query as never)));
      },
    );
  });

  describe('400', () => {
    it.each([
      [{ state: 'initiating' }, 'state'],
      [{ created_from: 'yesterday' }, 'created_from'],
      [{ amount: '50' }, 'amount'],
      [{ amount: '5.123', currency: 'KES' }, 'amount'],
      [{ phone_ends: '12' }, 'phone_ends'],
      [{ limit: '101' }, 'limit'],
      [{ cursor: 'nonsense' }, 'cursor'],
      // Times that some servers reject.
      [{ created_from: '0001-01-01' }, 'created_from'],
      [{ created_from: '2026-02-30' }, 'created_from'],
      [{ created_before: '2026-02-30T08:00:00Z' }, 'created_before'],
      [{ created_before: '9999-12-31T23:59:59-12:00' }, 'created_before'],
      [{ cursor: listCursorOf({ at: new Date(Date.UTC(33_000, 0)), id: uuid }) }, 'cursor'],
    ])('%j', async (query, field) => {
      const response = await api.get(`${path}?${new URLSearchParams(query as never).toString()}`);
      expect([response.status, (await errorOf(response)).details?.[0]?.field]).toEqual([400, field]);
    });
  });

  it('scans only a limited number of rows for a page', async () => {
    await insertOpenPayments(test.db, 3_000);
    const many = await test.db('payments').orderBy('created_at', 'desc').first('merchant_id', 'payment_id');
    if (!many) throw new Error('no payments');
    const { merchant_id: merchantId, payment_id: paymentId } = many;
    await test.db('payments').where({ payment_id: paymentId }).update({ order_id: 'ONE' });
    const read = (wanted: Parameters<typeof listPayments>[2]) =>
      rowsRead(test.db, (trx) => listPayments(trx, merchantId, wanted, { before: undefined, limit: 20 }));
    expect(await read({})).toBeLessThan(100);
    expect(await read({ reference: 'ONE' })).toBeLessThan(30);
    // Rows that do not match are scanned too, up to a limit.
    expect(await read({ rail: 'momo' })).toBeLessThan(2_100);
  });
});

describe('GET /api/v1/payments/{payment_id}', () => {
  it('200 returns a payment with its history, without internal steps', async () => {
    const response = await api.get(pathOf(ids['paid'] ?? ''));
    const { payment } = (await response.json()) as { payment: Record<string, unknown> };
    expect([response.status, payment]).toEqual([
      200,
      expect.objectContaining({
        payment_id: ids['paid'],
        timeline: [
          { state: 'created', at: at(2).toISOString() },
          { state: 'pending', at: at(2).toISOString() },
          { state: 'succeeded', at: at(3).toISOString() },
        ],
        refunds: [],
      }),
    ]);
    expect(JSON.stringify(payment)).not.toContain('inbox');
  });

  it.each([
    ["another merchant's", () => ids['foreign']],
    ['none', () => uuid],
    ['no id', () => 'nonsense'],
    ['no ASCII', () => '%F0%9F%A5%AD'],
  ])('404 for %s', async (_what, id) => {
    const response = await api.get(pathOf(id() ?? ''));
    expect([response.status, (await errorOf(response)).code]).toEqual([404, 'PAYMENT_NOT_FOUND']);
  });

  it('401 without keys', async () => {
    const response = await api.get(pathOf(ids['paid'] ?? ''), { 'X-API-Key': 'pk_test_3' });
    expect(response.status).toBe(401);
  });
});
