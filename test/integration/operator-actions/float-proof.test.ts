import { createOperator } from '../../../src/users/operators';
import { railsOf } from '../../../src/rail-kit/context';
import { createFloatStage, toldOf, type FloatStage } from '../payments/float-stage';
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

const proof = (...args: string[]) => cli.run('float-proof', ...args);
const wallet = ['loudpay', '--country', 'KEN', '--currency', 'KES'];
const why = ['--reason', 'the bank took it'];
const told = async () => ((await proof('list', '--json')).json['wallets'] as Record<string, unknown>[])[0];
const doctor = async () => {
  const { findings } = (await cli.run('doctor', '--json')).json as { findings: { name: string }[] };
  return findings.find(({ name }) => name === 'float proof');
};

it('malipo float-proof shows what wallets hold, asks now, and takes what an operator says of them', async () => {
  const none = await proof('list');
  expect([none.code, none.out]).toEqual([
    0,
    'No provider has told of its wallets yet.\nQuietpay has no such call.\n',
  ]);
  expect((await proof('baseline', ...wallet, ...why)).err).toContain('No provider has told of such a wallet');
  stage.holds(100_000n);
  expect((await proof('run')).out).toMatch(/loudpay +KEN +KES +1000\.00 +agrees +0\.00 +1000\.00 /);

  // A withdrawal that is announced is expected.
  const moved = await proof('moved', ...wallet, '--amount', '-250.00', ...why);
  expect([moved.code, moved.err, moved.out]).toEqual([0, '', expect.stringContaining('250.00 is to go')]);
  expect((await proof('baseline', ...wallet, ...why)).err).toContain('was not told in the last quarter');
  stage.holds(75_000n);
  expect((await proof('run')).code).toBe(0);
  expect(await told()).toMatchObject({
    verdict: 'agrees',
    beside_our_books: ['750.00', '750.00'],
    ...{ coming: '0.00', going: '0.00' },
  });

  // One that was not is a difference, until somebody says that it is right.
  stage.holds(50_000n);
  await proof('run');
  const short = await proof('run', '--json');
  expect([short.code, await told()]).toEqual([
    1,
    expect.objectContaining({ verdict: 'short', difference: '-250.00', balance: '500.00' }),
  ]);
  expect(await doctor()).toMatchObject({
    level: 'fault',
    sentence: expect.stringContaining('loudpay KEN KES -250.00') as unknown,
  });
  expect((await proof('baseline', ...wallet, '--fee-per-mille', '30', ...why)).code).toBe(0);
  expect((await proof('run')).code).toBe(0);
  expect(await told()).toMatchObject({
    verdict: 'agrees',
    fee_per_mille: 30,
    beside_our_books: ['500.00', '500.00'],
  });
  expect(await stage.cases()).toEqual([]);
  expect((await cli.run('stop', 'list')).out).toContain('float proof');
  const started = await cli.run('start', 'payouts', '--rail', 'loud', '--country', 'KEN');
  expect(started.out).toContain('only where a wallet lacks more than it did');
  expect(await doctor()).toMatchObject({ level: 'ok' });

  const logged = await cli.db('audit_log').where({ subject_kind: 'float_wallet' }).orderBy('seq');
  expect(logged.map(({ action, subject_id: id }) => [action, id])).toEqual([
    ['float-proof.moved', 'loudpay:KEN:KES'],
    ['float-proof.baseline', 'loudpay:KEN:KES'],
  ]);
  expect(JSON.parse(logged[1]?.details ?? '')).toMatchObject({
    reason: 'the bank took it',
    gap_minor: '25000',
  });
});

it('is refused while a worker asks, and for what was told long ago or never', async () => {
  await cli.db.raw(
    'UPDATE float_rounds SET leased_by = ?, leased_until = UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE',
    ['x'],
  );
  expect((await proof('run')).err).toContain('are being asked just now');
  await cli.db.raw('UPDATE float_rounds SET leased_by = NULL, leased_until = NULL');
  await cli.db.raw('UPDATE float_wallets SET told_at = UTC_TIMESTAMP(3) - INTERVAL 1 HOUR');
  expect((await proof('baseline', ...wallet, ...why)).err).toContain('was not told in the last quarter');
  expect(await doctor()).toMatchObject({
    level: 'attention',
    sentence: expect.stringContaining('was not told for 1 h') as unknown,
  });
  for (const [provider, sentence] of [
    ['nobody', 'No provider has told'],
    ['käse', 'is no id'],
  ] as const)
    expect((await proof('moved', provider, '--currency', 'KES', '--amount', '1.00', ...why)).err).toContain(
      sentence,
    );
});

it('needs a second operator for what hides a difference, in live', async () => {
  stage.answers(toldOf({ country: 'KEN', currency: 'KES', balanceMinor: 50_000n }));
  await proof('run');
  const amina = (await cli.json('operator', 'create', 'amina')) as { token?: string };
  cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN: amina.token };
  expect((await cli.run('approval-rule', 'set', 'money')).code).toBe(0);
  const before = await stage.row();
  for (const args of [
    ['baseline', ...wallet],
    ['moved', ...wallet, '--amount', '5.00'],
  ]) {
    const asked = await proof(...args, ...why);
    expect([asked.code, asked.out]).toEqual([3, expect.stringContaining('Nothing was done yet')]);
  }
  expect(await stage.row()).toEqual(before);
});

it('what is missing is approved as missing, and never as so much too much', async () => {
  const mine = cli.env;
  const { token } = await createBrian();
  const differs = async (byMinor: bigint) => {
    const right = (await stage.row())?.offset_lo;
    await cli.db('float_wallets').update({
      seen_lo: String(BigInt(right ?? '0') + byMinor),
      seen_hi: String(BigInt(right ?? '0') + byMinor),
    });
    await cli.db.raw('UPDATE float_wallets SET told_at = UTC_TIMESTAMP(3)');
  };
  await differs(-50_000n);
  const asked = await proof('baseline', ...wallet, ...why, '--json');
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
  const tried = await proof('baseline', ...wallet, ...why, '--dry-run');
  expect(tried.out).toContain('KES 500.00 is too much');
  for (const [amount, words] of [
    ['-5.00', 'KES 5.00 was taken out of'],
    ['5.00', 'KES 5.00 was put into'],
  ] as const)
    expect((await proof('moved', ...wallet, '--amount', amount, ...why, '--dry-run')).out).toContain(words);
});

async function createBrian(): Promise<{ token: string }> {
  const given = { name: 'brian', role: 'operator', by: 'test', environment: 'sandbox' } as const;
  return { token: await createOperator(cli.db, given) };
}
