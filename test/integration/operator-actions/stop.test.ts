import { randomUUID } from 'node:crypto';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';
import { insertMerchant } from '../../support/store/rows';

let cli: TestCli;
let merchantId: string;
beforeAll(async () => {
  cli = await createTestCli();
  merchantId = await insertMerchant(cli.db);
});
afterAll(() => cli.drop());

const why = ['--reason', 'a key was stolen', '--as', 'amina'];
interface Listed {
  stops: Record<string, unknown>[];
}

it('malipo stop payouts, and start payouts, say what waits, who has stopped it, since when and why', async () => {
  expect((await cli.run('stop', 'list')).out).toBe('Nothing is stopped.\n');
  const all = await cli.run('stop', 'payouts', ...why);
  expect(all.out).toContain('All payouts are stopped by amina: from now on none is sent, and new ones wait.');
  const scope = ['--merchant', merchantId, '--country', 'KEN'];
  const one = await cli.run('stop', 'payouts', ...scope, '--with-refunds', ...why);
  expect(one.out).toContain(`Payouts and refunds to KEN of merchant ${merchantId} are stopped by amina`);
  expect(one.out).toContain(`malipo start payouts --merchant ${merchantId} --country KEN lets them go on.`);
  const { stops } = (await cli.json('stop', 'list')) as unknown as Listed;
  const shared = { reason: 'a key was stolen', begun_by: 'amina', ended_at: null };
  expect(stops).toEqual([
    expect.objectContaining({ ...shared, merchant_id: null, rail: null, country: null, with_refunds: false }),
    expect.objectContaining({ ...shared, merchant_id: merchantId, country: 'KEN', with_refunds: true }),
  ]);
  expect((await cli.run('stop', 'list')).out).toMatch(/amina +payouts +a key was stolen +in force/);

  const none = await cli.run('start', 'payouts', '--rail', cli.context.rails.all[0]?.name ?? '');
  expect([none.code, none.err]).toEqual([
    1,
    `Exactly this is not stopped. What is stopped: payouts; payouts with refunds ${scope.join(' ')}.\n`,
  ]);
  const started = await cli.run('start', 'payouts', '--as', 'baraka');
  expect(started.out).toContain('1 stop of all payouts ended by baraka: what waited goes on by itself');
  expect(started.out).toContain(`Still stopped: payouts with refunds ${scope.join(' ')}.`);
  expect((await cli.run('start', 'payouts', ...scope)).code).toBe(0);
  expect((await cli.json('stop', 'list')) as unknown).toEqual({ stops: [] });
  expect(((await cli.json('stop', 'list', '--all')) as unknown as Listed).stops).toEqual([
    expect.objectContaining({ country: 'KEN', ended_by: expect.any(String) as unknown }),
    expect.objectContaining({ country: null, ended_by: 'baraka' }),
  ]);
  const logged = await cli.db('audit_log').where({ subject_kind: 'payout_stop' }).orderBy('seq');
  expect(logged.map(({ action }) => action)).toEqual([
    'stop.payouts',
    'stop.payouts',
    'start.payouts',
    'start.payouts',
  ]);
  // What was typed is no proof, as long as there is no operator.
  expect(new Set(logged.map(({ acted_by }) => acted_by))).toEqual(new Set(['nobody']));
  expect(JSON.parse(logged[1]?.details ?? '')).toMatchObject({
    given: { as: 'amina', country: 'KEN', with_refunds: true },
    with_refunds: true,
  });
});

it.each([
  ['no reason', [], 2],
  ['a rail that there is not', ['--rail', 'carrier-pigeon', ...why], 2],
  ['a country in two letters', ['--country', 'KE', ...why], 2],
  ['a merchant that is no id', ['--merchant', 'käse', ...why], 2],
  ['a merchant that there is not', ['--merchant', randomUUID(), ...why], 1],
])('malipo stop payouts with %s stops nothing', async (_what, options, code) => {
  expect((await cli.run('stop', 'payouts', ...options)).code).toBe(code);
  expect((await cli.json('stop', 'list')) as unknown).toEqual({ stops: [] });
});
