import { createMerchant } from '../../../src/merchants/merchants';
import { verify } from '../../../src/verify/verify';
import { box } from '../../support/verify/books-support';
import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';

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
const ofMerchant = () => ['--merchant', merchant, '--currency', 'KES', ...because];
const listed = async (...args: string[]) =>
  (await cli.json('fee', 'list', '--merchant', merchant, ...args))['fees'] as Record<string, unknown>[];

describe('malipo fee', () => {
  it('can be set, listed, replaced and removed, and the audit log records every change', async () => {
    const terms = ['--fixed', '5.00', '--per-mille', '12.5', '--min', '10.00', '--max', '300.00'];
    const first = await cli.json('fee', 'set', 'payout', ...ofMerchant(), ...terms);
    expect(first).toMatchObject({
      ...{ operation: 'payout', currency: 'KES', merchant_id: merchant, rail: null },
      ...{ fixed: '5.00', per_mille: '12.5', minimum: '10.00', maximum: '300.00' },
      ...{ reason: 'agreed by phone', ended_at: null },
    });
    const { out } = await cli.run('fee', 'list', '--merchant', merchant);
    expect(out).toMatch(/payout +5\.00 \+ 12\.5 ‰, at least 10\.00, at most 300\.00 KES +\S+ +all/);
    const second = await cli.json('fee', 'set', 'payout', ...ofMerchant(), '--per-mille', '0');
    expect(second).toMatchObject({ fixed: '0.00', per_mille: '0', minimum: null, maximum: null });
    const other = await cli.json(
      'fee',
      'set',
      'collection',
      ...ofMerchant(),
      '--fixed',
      '1',
      '--rail',
      'loud',
    );
    expect((await listed()).map(({ fee_id: id }) => id)).toEqual([second['fee_id'], other['fee_id']]);
    for (const { fee_id: id } of [second, other])
      expect(await cli.json('fee', 'remove', String(id), ...because)).toMatchObject({
        ended_at: expect.any(String),
      });
    expect(await listed()).toEqual([]);
    expect(await listed('--ended')).toHaveLength(3);
    const lines = await cli.db('audit_log').where({ subject_kind: 'fee' }).orderBy('seq');
    expect(lines.map(({ action, subject_id: id }) => [action, id])).toEqual([
      ...[first, second, other].map(({ fee_id: id }) => ['fee.set', id]),
      ...[second, other].map(({ fee_id: id }) => ['fee.remove', id]),
    ]);
  });

  it('accepts only valid combinations of options', async () => {
    const set = ['fee', 'set', 'payout', ...ofMerchant()];
    const wrong = [
      set,
      [...set, '--fixed', '0'],
      [...set, '--fixed', '-1'],
      [...set, '--fixed', '0.001'],
      [...set, '--per-mille', '1000.001'],
      [...set, '--per-mille', '1.0001'],
      [...set, '--per-mille', '1e2'],
      [...set, '--per-mille', '10', '--min', '5', '--max', '4.99'],
      [...set, '--per-mille', '10', '--rail', 'nowhere'],
      ['fee', 'set', 'refund', ...ofMerchant(), '--fixed', '1'],
      ['fee', 'set', 'payout', '--currency', 'KES', '--fixed', '1'],
    ];
    for (const args of wrong) expect([args, (await cli.run(...args)).code]).toEqual([args, 2]);
  });

  it('fails for an unknown merchant or id', async () => {
    const nobody = ['--merchant', '0190aaaa-0000-7000-8000-000000000000'];
    const set = ['fee', 'set', 'payout', '--currency', 'KES', ...because, ...nobody, '--fixed', '1'];
    expect(await cli.run(...set)).toMatchObject({ code: 1 });
    expect(await cli.run('fee', 'remove', 'nøne', ...because)).toMatchObject({
      code: 2,
      err: expect.stringContaining('"nøne" is not an id') as unknown,
    });
    expect(await cli.run('fee', 'remove', 'none', ...because)).toMatchObject({
      code: 1,
      err: 'No fee none is in force; see malipo fee list.\n',
    });
  });

  it('needs a second operator in live', async () => {
    const tokens: Record<string, string> = {};
    const as = (name: string) => {
      cli.env = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: tokens[name] };
    };
    for (const name of ['amina', 'brian']) {
      tokens[name] = String((await cli.json('operator', 'create', name))['token']);
      as('amina');
    }
    cli.session = { config: { ...testConfig(cli.url), environment: 'live' } };
    const asked = await cli.run('fee', 'set', 'payout', ...ofMerchant(), '--fixed', '5', '--json');
    expect([asked.code, await listed()]).toEqual([3, []]);
    as('brian');
    await cli.json('approve', String(asked.json['approval_id']));
    expect(await listed()).toEqual([expect.objectContaining({ operation: 'payout', fixed: '5.00' })]);
    cli.session = {};
  });
});
