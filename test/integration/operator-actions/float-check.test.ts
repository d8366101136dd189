import { createOperator } from '../../../src/users/operators';
import { railsOf } from '../../../src/rail-kit/context';
import { createFloatStage, reportedOf, type FloatStage } from '../payments/float-stage';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let stage: FloatStage;
beforeAll(async () => {
  cli = await createTestCli();
  stage = createFloatStage(cli.db, 'loudpay');
  const payments = [{ rail: 'quiet' }];
  const silent = {
    provider: 'quietpay',
    title: 'Quietpay',
    payments,
    cannotBeAsked: 'Quietpay has no such call.',
  };
  const rails = stage.context.rails.all.map((rail) =>
    rail.name === 'quiet' ? { ...rail, wallets: silent } : rail,
  );
  cli.session = { context: { ...stage.context, rails: railsOf(rails) } };
});
afterAll(() => cli.drop());

const proof = (...args: string[]) => cli.run('float-check', ...args);
const wallet = ['loudpay', '--country', 'KEN', '--currency', 'KES'];
const why = ['--reason', 'the bank took it'];
const reported = async () =>
  ((await proof('list', '--json')).json['wallets'] as Record<string, unknown>[])[0];
const doctor = async () => {
  const { findings } = (await cli.run('doctor', '--json')).json as {
    findings: { name: string }[];
  };
  return findings.find(({ name }) => name === 'float check');
};

it('malipo float-check shows the balances of wallets, queries them now, and stores transfers and adjustments', async () => {
  const none = await proof('list');
  expect([none.code, none.out]).toEqual([
    0,
    'No provider has reported a balance yet.\nQuietpay has no such call.\n',
  ]);
  expect((await proof('adjust', ...wallet, ...why)).err).toContain('No provider has reported such a wallet');
  stage.holds(100_000n);
  expect((await proof('run')).out).toMatch(/loudpay +KEN +KES +1000\.00 +agrees +0\.00 +1000\.00 /);

  // A withdrawal that an operator recorded is expected.
  const moved = await proof('transfer', ...wallet, '--amount', '-250.00', ...why);
  expect([moved.code, moved.err, moved.out]).toEqual([
    0,
    '',
    expect.stringContaining('250.00 still to go out'),
  ]);
  expect((await proof('adjust', ...wallet, ...why)).err).toContain(
    'There is no balance of the last 15 minutes',
  );
  stage.holds(75_000n);
  expect((await proof('run')).code).toBe(0);
  expect(await reported()).toMatchObject({
    verdict: 'agrees',
    beside_our_books: ['750.00', '750.00'],
    ...{ coming: '0.00', going: '0.00' },
  });

  // A withdrawal that was not recorded is a difference, until an operator adjusts the expected balance.
  stage.holds(50_000n);
  await proof('run');
  const short = await proof('run', '--json');
  expect([short.code, await reported()]).toEqual([
    1,
    expect.objectContaining({ verdict: 'short', difference: '-250.00', balance: '500.00' }),
  ]);
  expect(await doctor()).toMatchObject({
    level: 'fault',
    sentence: expect.stringContaining('loudpay KEN KES -250.00') as unknown,
  });
  expect((await proof('adjust', ...wallet, '--fee-per-mille', '30', ...why)).code).toBe(0);
  expect((await proof('run')).code).toBe(0);
  expect(await reported()).toMatchObject({
    verdict: 'agrees',
    fee_per_mille: 30,
    beside_our_books: ['500.00', '500.00'],
  });
  expect(await stage.cases()).toEqual([]);
  expect((await cli.run('payouts', 'list')).out).toContain('float check');
  const started = await cli.run('payouts', 'resume', '--rail', 'loud', '--country', 'KEN');
  expect(started.out).toContain('only if a wallet lacks more than it does now');
  expect(await doctor()).toMatchObject({ level: 'ok' });

  const logged = await cli.db('audit_log').where({ subject_kind: 'float_wallet' }).orderBy('seq');
  expect(logged.map(({ action, subject_id: id }) => [action, id])).toEqual([
    ['float-check.transfer', 'loudpay:KEN:KES'],
    ['float-check.adjust', 'loudpay:KEN:KES'],
  ]);
  expect(JSON.parse(logged[1]?.details ?? '')).toMatchObject({
    reason: 'the bank took it',
    gap_minor: '25000',
  });
});

it('fails while a worker queries the providers, and for a balance that is old or unknown', async () => {
  await cli.db.raw(
    'UPDATE float_check_runs SET leased_by = ?, leased_until = UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE',
    ['x'],
  );
  expect((await proof('run')).err).toContain('is querying the providers now');
  await cli.db.raw('UPDATE float_check_runs SET leased_by = NULL, leased_until = NULL');
  await cli.db.raw('UPDATE float_wallets SET reported_at = UTC_TIMESTAMP(3) - INTERVAL 1 HOUR');
  expect((await proof('adjust', ...wallet, ...why)).err).toContain(
    'There is no balance of the last 15 minutes',
  );
  expect(await doctor()).toMatchObject({
    level: 'attention',
    sentence: expect.stringContaining('was reported for 1 h') as unknown,
  });
  for (const [provider, sentence] of [
    ['nobody', 'No provider has reported'],
    ['käse', 'is not an id'],
  ] as const)
    expect(
      (await proof('transfer', provider, '--currency', 'KES', '--amount', '1.00', ...why)).err,
    ).toContain(sentence);
});

it('always needs a second operator for the fees that a provider can keep, for any difference', async () => {
  stage.answers(reportedOf({ country: 'KEN', currency: 'KES', balanceMinor: 50_000n }));
  await proof('run');
  for (const name of ['zawadi', 'juma']) {
    const { token } = (await cli.json('operator', 'create', name)) as { token?: string };
    cli.env = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: token };
  }
  const before = await stage.row();
  const asked = await proof('adjust', ...wallet, '--fee-per-mille', '1000', ...why);
  expect([asked.code, asked.out]).toEqual([3, expect.stringContaining('Nothing was done yet')]);
  expect(await stage.row()).toEqual(before);
  // Without the fee no rule asks for one here.
  expect((await proof('adjust', ...wallet, ...why)).code).toBe(0);
});

it('needs a second operator in live for a step that removes a difference', async () => {
  stage.answers(reportedOf({ country: 'KEN', currency: 'KES', balanceMinor: 50_000n }));
  await proof('run');
  const amina = (await cli.json('operator', 'create', 'amina')) as { token?: string };
  cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN: amina.token };
  expect((await cli.run('approval-rule', 'set', 'money')).code).toBe(0);
  const before = await stage.row();
  for (const args of [
    ['adjust', ...wallet],
    ['transfer', ...wallet, '--amount', '5.00'],
  ]) {
    const asked = await proof(...args, ...why);
    expect([asked.code, asked.out]).toEqual([3, expect.stringContaining('Nothing was done yet')]);
  }
  expect(await stage.row()).toEqual(before);
});

it('a missing amount is approved as missing, and not as a surplus of the same size', async () => {
  const mine = cli.env;
  const { token } = await createBrian();
  const differs = async (byMinor: bigint) => {
    const right = (await stage.row())?.offset_lo;
    await cli.db('float_wallets').update({
      seen_lo: String(BigInt(right ?? '0') + byMinor),
      seen_hi: String(BigInt(right ?? '0') + byMinor),
    });
    await cli.db.raw('UPDATE float_wallets SET reported_at = UTC_TIMESTAMP(3)');
  };
  await differs(-50_000n);
  const asked = await proof('adjust', ...wallet, ...why, '--json');
  expect(asked.code).toBe(3);
  const id = String(asked.json['approval_id']);
  const { texts } = (await cli.db('approvals').where({ approval_id: id }).first('texts')) ?? {};
  const { en, sw } = JSON.parse(texts ?? '') as Record<'en' | 'sw', { sentence: string }>;
  expect([en.sentence, sw.sentence]).toEqual([
    expect.stringContaining('KES 500.00 is missing'),
    expect.stringContaining('inapungua KES 500.00'),
  ]);
  await differs(50_000n);
  cli.env = { MALIPO_OPERATOR: 'brian', MALIPO_OPERATOR_TOKEN: token };
  const other = await cli.run('approve', id);
  expect([other.code, other.err]).toEqual([1, expect.stringContaining('another amount')]);
  await differs(-50_000n);
  expect((await cli.run('approve', id)).code).toBe(0);
  cli.env = mine;
  await differs(50_000n);
  const tried = await proof('adjust', ...wallet, ...why, '--dry-run');
  expect(tried.out).toContain('KES 500.00 is too much');
  for (const [amount, words] of [
    ['-5.00', 'KES 5.00 was taken out of'],
    ['5.00', 'KES 5.00 was put into'],
  ] as const)
    expect((await proof('transfer', ...wallet, '--amount', amount, ...why, '--dry-run')).out).toContain(
      words,
    );
});

async function createBrian(): Promise<{ token: string }> {
  const given = { name: 'brian', role: 'operator', by: 'test', environment: 'sandbox' } as const;
  return { token: await createOperator(cli.db, given) };
}
