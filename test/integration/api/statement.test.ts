import { PaymentError } from '../../../src/domain/errors';
import { statementEndpoint } from '../../../src/api/statement';
import { writeDayDigests } from '../../../src/ledger/day-digests';
import { openDatabase, type Database } from '../../../src/store/database';
import { daysAgo, onDay } from '../ledger/digested-days';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';
import { playHistory } from '../statements/ledger-history';
import { insertMerchant } from '../../support/store/rows';
import { errorOf, merchant, serve, type Served } from '../../support/api/serve';

const path = '/api/v1/statement';
const otherId = '018f0000-0000-7000-8000-000000000002';

let cli: TestCli;
/** The privileges of the API's database account. */
let db: Database;
let api: Served;
beforeAll(async () => {
  cli = await createTestCli();
  db = openDatabase(cli.url, { poolMax: 4 });
  const inserted = await insertMerchant(cli.db);
  await cli.db('merchants').where({ merchant_id: inserted }).update({ merchant_id: merchant.merchant_id });
  const [own, others] = [await playHistory(cli.db, merchant.merchant_id), await playHistory(cli.db, otherId)];
  await onDay(4, async () => {
    await own.transfers.collect(12_345n);
    await others.transfers.collect(777n);
  });
  await onDay(3, async () => {
    for (let n = 1n; n <= 15n; n += 1n) await own.transfers.collect(n);
    await own.transfers.fund(1_000n);
  });
  await writeDayDigests(db);
  api = await serve({
    endpoints: [statementEndpoint(db, 'Africa/Nairobi')],
    authenticate({ apiKey }) {
      if (apiKey === 'pk_test_1') return Promise.resolve(merchant);
      if (apiKey === 'pk_test_2') return Promise.resolve({ ...merchant, merchant_id: otherId });
      return Promise.reject(new PaymentError('INVALID_CREDENTIALS'));
    },
  });
});
afterAll(async () => {
  await api.close();
  await db.destroy();
  await cli.drop();
});

const query = (changes: Record<string, string> = {}) =>
  `${path}?${new URLSearchParams({ from: daysAgo(4), to: daysAgo(3), currency: 'KES', ...changes }).toString()}`;

interface Reported {
  accounts: Record<string, string | null>[];
  movements: Record<string, string | null>[];
  next_cursor: string | null;
}
const reported = async (changes?: Record<string, string>, headers?: Record<string, string>) =>
  (await (await api.get(query(changes), headers)).json()) as Reported;

describe('GET /api/v1/statement', () => {
  describe('200', () => {
    it('returns balances, and every movement with the balance after it', async () => {
      const body = await reported({ to: daysAgo(4) });
      expect(body).toEqual({
        success: true,
        merchant_id: merchant.merchant_id,
        currency: 'KES',
        from: daysAgo(4),
        to: daysAgo(4),
        time_zone: 'Africa/Nairobi',
        is_final: true,
        accounts: [
          {
            ...{ account: 'wallet', rail: null, country: null },
            ...{ opening_balance: '0.00', closing_balance: '123.45' },
          },
        ],
        movements: [
          {
            ...{ account: 'wallet', time: `${daysAgo(4)}T12:00:00.000Z`, type: 'credit', payment_id: null },
            ...{
              rail: null,
              kind: null,
              order_id: null,
              reference: null,
              source_id: expect.any(String) as string,
            },
            ...{ amount: '123.45', balance: '123.45' },
          },
        ],
        next_cursor: null,
      });
    });

    it('comes in pages, which are complete together', async () => {
      const all = await reported();
      expect(all.movements).toHaveLength(18);
      const pages: Reported['movements'] = [];
      let cursor: string | null = null;
      do {
        const page: Reported = await reported({ limit: '10', ...(cursor === null ? {} : { cursor }) });
        pages.push(...page.movements);
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(pages).toEqual(all.movements);
    });

    it.each([
      ['format=csv', { format: 'csv' }, {}],
      ['Accept: text/csv', {}, { Accept: 'text/csv' }],
    ])("is a file by %s, byte for byte the same as the command line's", async (_how, asked, headers) => {
      const response = await api.get(query(asked), headers);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/csv; charset=utf-8; header=present',
      ]);
      expect(response.headers.get('content-disposition')).toBe(
        `attachment; filename="statement-KES-${daysAgo(4)}-${daysAgo(3)}.csv"`,
      );
      const text = await response.text();
      expect(text.split('\r\n')).toHaveLength(1 + 18 + 2 * 2 + 1);
      const period = ['--from', daysAgo(4), '--to', daysAgo(3), '--currency', 'KES'];
      const { out } = await cli.run('statement', merchant.merchant_id, ...period, '--csv');
      expect(out).toBe(text);
      expect(await (await api.get(query(asked), headers)).text()).toBe(text);
    });

    it('gives the query parameter priority over the header', async () => {
      const response = await api.get(query({ format: 'json' }), { Accept: 'text/csv' });
      expect(response.headers.get('content-type')).toContain('application/json');
    });

    it('is empty in a currency that was never used', async () => {
      expect(await reported({ currency: 'UGX' })).toMatchObject({
        accounts: [],
        movements: [],
        next_cursor: null,
      });
    });

    it('shows each merchant only its own accounts, whatever it requests', async () => {
      const body = await reported({}, { 'X-API-Key': 'pk_test_2' });
      expect(body).toMatchObject({
        ...{ merchant_id: otherId, accounts: [{ account: 'wallet', closing_balance: '7.77' }] },
        movements: [{ amount: '7.77' }],
      });
      const named = await reported({ merchant_id: otherId });
      expect(named).toMatchObject({ merchant_id: merchant.merchant_id });
      const { next_cursor: cursor } = await reported({ limit: '10' });
      const stolen = await api.get(query({ cursor: cursor ?? '' }), { 'X-API-Key': 'pk_test_2' });
      expect(stolen.status).toBe(400);
    });

    it("reveals nothing about other merchants' amounts, nor operators' texts", async () => {
      const { next_cursor: cursor } = await reported({ limit: '10' });
      expect(Buffer.from(cursor ?? '', 'base64url').toString()).toMatch(
        /^\["wallet","deposit","[0-9a-f-]{36}","credit"\]$/,
      );
      const text =
        JSON.stringify(await reported()) + (await (await api.get(query({ format: 'csv' }))).text());
      expect(text).not.toContain('secret');
    });
  });

  describe('400', () => {
    // Two days later, in case midnight passes meanwhile.
    const later = daysAgo(-2);
    it.each([
      ['from', { from: '' }, 'from is required'],
      ['from', { from: '2026-02-30' }, 'from must be a day such as 2026-01-31'],
      ['from', { from: '01/02/2026' }, 'from must be a day such as 2026-01-31'],
      ['from', { from: '+002026-01' }, 'from must be a day such as 2026-01-31'],
      ['from', { from: daysAgo(2) }, 'from must not be after to'],
      ['to', { to: '' }, 'to is required'],
      ['to', { to: 'today' }, 'to must be a day such as 2026-01-31'],
      ['to', { to: later }, 'to must not be after today (Africa/Nairobi)'],
      ['to', { from: daysAgo(400) }, 'to must be within 366 days of from'],
      ['format', { format: 'xml' }, 'format must be one of json, csv'],
      ['limit', { limit: '9' }, 'limit must be a whole number from 10 to 1000'],
      ['limit', { limit: '1001' }, 'limit must be a whole number from 10 to 1000'],
      ['limit', { limit: '1e2' }, 'limit must be a whole number from 10 to 1000'],
      ['cursor', { cursor: 'nonsense' }, 'cursor does not belong to this statement'],
    ])('names %s in %j: %s', async (field, changes, message) => {
      const response = await api.get(query(changes));
      const body = await errorOf(response);
      expect([response.status, body.code, body.details]).toEqual([
        ...[400, 'VALIDATION_FAILED'],
        [{ field, message }],
      ]);
    });

    it.each([
      [{ currency: 'ZZZ' }, 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'kes' }, 'UNSUPPORTED_CURRENCY'],
      [{ currency: '' }, 'VALIDATION_FAILED'],
    ])('rejects %j', async (changes, code) => {
      const response = await api.get(query(changes));
      expect([response.status, (await errorOf(response)).code]).toEqual([400, code]);
    });

    it('rejects a repeated parameter', async () => {
      const response = await api.get(`${query()}&from=${daysAgo(9)}`);
      expect([response.status, (await errorOf(response)).code]).toEqual([400, 'INVALID_QUERY']);
    });
  });

  it('401: requires keys in the headers', async () => {
    const missing = await fetch(api.url + query({ api_key: 'pk_test_1', api_secret: 'sk_test_1' }));
    expect([missing.status, (await errorOf(missing)).code]).toEqual([401, 'CREDENTIALS_REQUIRED']);
    const wrong = await api.get(query(), { 'X-API-Key': 'pk_test_3' });
    expect([wrong.status, (await errorOf(wrong)).code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('405: allows only GET', async () => {
    const response = await api.post(path, {});
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('malipo statement', () => {
  const period = () => ['--from', daysAgo(4), '--to', daysAgo(3), '--currency', 'KES'];
  const run = (...args: string[]) => cli.run('statement', ...args);

  it('returns the same as the API', async () => {
    const { success: _, next_cursor: __, ...body } = (await reported()) as unknown as Record<string, unknown>;
    expect(await cli.json('statement', merchant.merchant_id, ...period())).toEqual(body);
    const { out } = await run(merchant.merchant_id, ...period());
    expect(out).toMatch(/wallet +0\.00 +114\.65[\s\S]*transfer[\s\S]*all of its days have a digest/);
  });

  it('reports wrong options', async () => {
    const [, from = '', , to = '', ...rest] = period();
    expect(await run(merchant.merchant_id, '--from', to, '--to', from, ...rest)).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('--from must not be after --to.') as string },
    });
    expect(await run(merchant.merchant_id, ...period(), '--currency', 'ZZZ')).toMatchObject({ code: 2 });
    expect(await run(otherId, ...period())).toMatchObject({ code: 1 });
  });
});
