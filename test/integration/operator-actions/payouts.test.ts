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

it('malipo payouts pause and resume print the scope, the payouts on hold, the operator, the time and the reason', async () => {
  expect((await cli.run('payouts', 'list')).out).toBe('Nothing is paused.\n');
  const all = await cli.run('payouts', 'pause', ...why);
  expect(all.out).toContain('All payouts are paused by amina: from now on none is sent, and new ones wait.');
  const scope = ['--merchant', merchantId, '--country', 'KEN'];
  const one = await cli.run('payouts', 'pause', ...scope, '--with-refunds', ...why);
  expect(one.out).toContain(`Payouts and refunds to KEN of merchant ${merchantId} are paused by amina`);
  expect(one.out).toContain(`To resume them: malipo payouts resume --merchant ${merchantId} --country KEN`);
  const { stops } = (await cli.json('payouts', 'list')) as unknown as Listed;
  const shared = { reason: 'a key was stolen', begun_by: 'amina', ended_at: null };
  expect(stops).toEqual([
    expect.objectContaining({ ...shared, merchant_id: null, rail: null, country: null, with_refunds: false }),
    expect.objectContaining({ ...shared, merchant_id: merchantId, country: 'KEN', with_refunds: true }),
  ]);
  expect((await cli.run('payouts', 'list')).out).toMatch(/amina +payouts +a key was stolen +in force/);

  const none = await cli.run('payouts', 'resume', '--rail', cli.context.rails.all[0]?.name ?? '');
  expect([none.code, none.err]).toEqual([
    1,
    `Exactly this scope is not paused. Paused: payouts; payouts with refunds ${scope.join(' ')}.\n`,
  ]);
  const started = await cli.run('payouts', 'resume', '--as', 'baraka');
  expect(started.out).toContain(
    '1 pause of all payouts ended by baraka: waiting payouts continue by themselves',
  );
  expect(started.out).toContain(`Still paused: payouts with refunds ${scope.join(' ')}.`);
  expect((await cli.run('payouts', 'resume', ...scope)).code).toBe(0);
  expect((await cli.json('payouts', 'list')) as unknown).toEqual({ stops: [] });
  expect(((await cli.json('payouts', 'list', '--all')) as unknown as Listed).stops).toEqual([
    expect.objectContaining({ country: 'KEN', ended_by: expect.any(String) as unknown }),
    expect.objectContaining({ country: null, ended_by: 'baraka' }),
  ]);
  const logged = await cli.db('audit_log').where({ subject_kind: 'payout_stop' }).orderBy('seq');
  expect(logged.map(({ action }) => action)).toEqual([
    'payouts.pause',
    'payouts.pause',
    'payouts.resume',
    'payouts.resume',
  ]);
  // A typed name is not authenticated as long as there is no operator.
  expect(new Set(logged.map(({ acted_by }) => acted_by))).toEqual(new Set(['nobody']));
  expect(JSON.parse(logged[1]?.details ?? '')).toMatchObject({
    given: { as: 'amina', country: 'KEN', with_refunds: true },
    with_refunds: true,
  });
});

it.each([
  ['no reason', [], 2],
  ['an unknown rail', ['--rail', 'carrier-pigeon', ...why], 2],
  ['a country in two letters', ['--country', 'KE', ...why], 2],
  ['an invalid merchant id', ['--merchant', 'käse', ...why], 2],
  ['an unknown merchant', ['--merchant', randomUUID(), ...why], 1],
])('malipo payouts pause with %s pauses nothing', async (_what, options, code) => {
  expect((await cli.run('payouts', 'pause', ...options)).code).toBe(code);
  expect((await cli.json('payouts', 'list')) as unknown).toEqual({ stops: [] });
});
