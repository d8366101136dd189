import { createMerchant } from '../../../src/merchants/merchants';
import { defaultLimitsOf } from '../../../src/controls/default-limits';
import { momoCurrencies } from '../../../src/rails/momo/network';
import { verify } from '../../../src/verify/verify';
import { box } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchant: string;
beforeAll(async () => {
  cli = await createTestCli();
});
beforeEach(async () => {
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
});
afterAll(async () => {
  expect((await verify(cli.db, cli.context.rails)).clean).toBe(true);
  await cli.drop();
});

const because = ['--reason', 'agreed by phone'];
const inKes = ['--currency', 'KES', ...because];
const ofMerchant = () => ['--merchant', merchant, ...inKes];
const listed = async (...args: string[]) =>
  (await cli.json('limit', 'list', '--merchant', merchant, ...args))['limits'] as Record<string, unknown>[];

describe('malipo limit', () => {
  it('can be set, listed, replaced and removed, and the audit log records every change', async () => {
    const first = await cli.json('limit', 'set', 'per_day', ...ofMerchant(), '--amount', '5000.00');
    expect(first).toMatchObject({
      kind: 'per_day',
      amount: '5000.00',
      currency: 'KES',
      merchant_id: merchant,
      rail: null,
      reason: 'agreed by phone',
      ended_at: null,
    });
    const second = await cli.json('limit', 'set', 'per_day', ...ofMerchant(), '--amount', '7000');
    expect((await listed()).map(({ limit_id: id }) => id)).toEqual([second['limit_id']]);
    const removed = await cli.json('limit', 'remove', String(second['limit_id']), ...because);
    expect(removed).toMatchObject({ limit_id: second['limit_id'], ended_at: expect.any(String) });
    expect(await listed()).toEqual([]);
    expect((await listed('--ended')).map(({ limit_id: id }) => id)).toEqual([
      first['limit_id'],
      second['limit_id'],
    ]);
    const lines = await cli.db('audit_log').where({ subject_kind: 'limit' }).orderBy('seq');
    expect(lines.map(({ action, subject_id: id }) => [action, id])).toEqual([
      ['limit.set', first['limit_id']],
      ['limit.set', second['limit_id']],
      ['limit.remove', second['limit_id']],
    ]);
  });

  it('can be of one rail or of each merchant, in addition to those of one merchant', async () => {
    const own = await cli.json(
      'limit',
      'set',
      'per_hour',
      ...ofMerchant(),
      '--amount',
      '10',
      '--rail',
      'momo',
    );
    const of = await cli.json('limit', 'set', 'per_hour', ...inKes, '--amount', '20');
    expect((await listed()).map(({ limit_id: id }) => id)).toEqual([own['limit_id'], of['limit_id']]);
    const { out } = await cli.run('limit', 'list', '--merchant', merchant);
    expect(out).toMatch(/per_hour +10\.00 KES +\S+ +momo/);
    expect(out).toMatch(/per_hour +20\.00 KES +each +all/);
    await cli.json('limit', 'remove', String(of['limit_id']), ...because);
  });

  it('accepts only the options of its kind', async () => {
    const cooldown = ['limit', 'set', 'first_payment_cooldown', ...ofMerchant()];
    expect(await cli.json(...cooldown, '--amount', '1000', '--cooldown', '24h')).toMatchObject({
      amount: '1000.00',
      cooldown_seconds: 86_400,
    });
    expect(
      await cli.json('limit', 'set', 'new_recipients_per_day', ...ofMerchant(), '--most', '20'),
    ).toMatchObject({ amount: null, most: 20 });
    const wrong = [
      [...cooldown, '--amount', '1000', '--cooldown', '99999d'],
      [...cooldown, '--amount', '1000'],
      ['limit', 'set', 'per_day', ...ofMerchant()],
      ['limit', 'set', 'per_day', ...ofMerchant(), '--amount', '10', '--most', '3'],
      ['limit', 'set', 'per_week', ...ofMerchant(), '--amount', '10'],
      ['limit', 'set', 'per_day', ...ofMerchant(), '--amount', '0'],
      ['limit', 'set', 'per_day', ...ofMerchant(), '--amount', '10', '--rail', 'stk'],
      ['limit', 'set', 'per_day', '--currency', 'KES', '--amount', '10'],
    ];
    for (const args of wrong) expect([args, (await cli.run(...args)).code]).toEqual([args, 2]);
  });

  it('fails for an unknown merchant or id', async () => {
    const nobody = ['--merchant', '0190aaaa-0000-7000-8000-000000000000'];
    expect(await cli.run('limit', 'set', 'per_day', ...inKes, ...nobody, '--amount', '10')).toMatchObject({
      code: 1,
    });
    expect(await cli.run('limit', 'remove', 'nøne', ...because)).toMatchObject({
      code: 2,
      err: expect.stringContaining('"nøne" is not an id') as unknown,
    });
    expect(await cli.run('limit', 'remove', 'none', ...because)).toMatchObject({
      code: 1,
      err: 'No limit none is in force; see malipo limit list.\n',
    });
  });

  it('lists the default limits when they apply', async () => {
    cli.session = { context: { ...cli.context, outflowDefaults: true } };
    const { out } = await cli.run('limit', 'list', '--merchant', merchant);
    expect(out).toMatch(/currency +per_payment +per_recipient_day +per_hour +per_day/);
    expect(out).toMatch(/KES +65000\.00 +130000\.00 +650000\.00 +2600000\.00/);
    cli.session = {};
  });

  it('has a default for each currency of payouts', () => {
    const none = [...momoCurrencies, 'KES', 'USD'] as const;
    expect(none.filter((code) => defaultLimitsOf(code).some((limit) => limit.amountMinor <= 0n))).toEqual([]);
  });
});
