/** An API process's metrics of floats: how long they last at the rate of the last day. */
import { randomBytes } from 'node:crypto';
import { floatFigures } from '../../../src/telemetry/figures/float-figures';
import { openAccount } from '../../../src/ledger/accounts';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { listWallets, servedWallets } from '../../../src/floats/opening-adjustment';
import { createFloatStage } from '../payments/float-stage';
import { insertMerchant } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { shownBy } from '../../support/telemetry/samples';

const ago = (ms: number) => new Date(Date.now() - ms);

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

it('a wallet of a provider that is no longer served has no metric', async () => {
  const { db } = test;
  const [gone, stage] = [createFloatStage(db, 'gone'), createFloatStage(db, 'somewhere')];
  for (const each of [gone, stage]) {
    each.holds(30_000n);
    await each.prove();
  }
  expect(await listWallets(db)).toHaveLength(2);
  expect((await servedWallets(stage.context)).map(({ provider }) => provider)).toEqual(['somewhere']);
  const shown = await shownBy((registers) => floatFigures(registers, stage.context));
  expect([...shown.keys()]).toEqual([
    'malipo_float_balance_minor_units{provider="somewhere",country="KEN",currency="KES"}',
  ]);
});

it('the time left is exported, and for merchants only of low floats', async () => {
  const { db } = test;
  const stage = createFloatStage(db, 'somewhere');
  stage.holds(30_000n);
  await stage.prove();
  const [short, long, idle] = [await insertMerchant(db), await insertMerchant(db), await insertMerchant(db)];
  for (const [merchantId, amountMinor] of [
    [short, 5_000n],
    [long, 900_000n],
    [idle, 1n],
  ] as const) {
    const float = { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' } as const;
    await openAccount(db, float);
    await transferByHand(db, {
      from: { class: 'bank', currency: 'KES' },
      to: float,
      amountMinor,
      reason: 'test',
      whenShort: 'BALANCE_INSUFFICIENT',
    });
  }
  const out = async (merchantId: string, amount: string, at: Date, changes = {}) => {
    await db('merchant_locks').insert({ merchant_id: merchantId, currency: 'KES' }).onConflict().ignore();
    const payment = { payment_id: randomBytes(8).toString('hex'), merchant_id: merchantId, rail: 'loud' };
    const row = { ...payment, currency: 'KES' as const, amount, accepted_at: at, ...changes };
    await db('outflows').insert(row);
  };
  await out(short, '20000', ago(3_600_000));
  await out(short, '999999', ago(90_000_000));
  await out(short, '999999', ago(3_600_000), { released_at: new Date() });
  await out(long, '40000', ago(3_600_000));
  const shown = await shownBy((registers) => floatFigures(registers, stage.context));
  expect(Object.fromEntries(shown)).toEqual({
    'malipo_float_balance_minor_units{provider="somewhere",country="KEN",currency="KES"}': 30_000,
    'malipo_float_time_left_seconds{provider="somewhere",currency="KES"}': 43_200,
    [`malipo_merchant_float_time_left_seconds{merchant_id="${short}",rail="loud",currency="KES"}`]: 21_600,
  });
});

it('floats of many merchants are read with few statements', async () => {
  const { db } = test;
  const stage = createFloatStage(db, 'somewhere');
  const merchants = await Promise.all(Array.from({ length: 60 }, () => insertMerchant(db)));
  await db('merchant_locks').insert(
    merchants.flatMap((id) => (['KES', 'UGX'] as const).map((currency) => ({ merchant_id: id, currency }))),
  );
  await db('outflows').insert(
    merchants.map((id, n) => ({
      payment_id: randomBytes(8).toString('hex'),
      merchant_id: id,
      rail: 'loud',
      currency: 'KES' as const,
      amount: String(n + 1),
      accepted_at: ago(1_000),
    })),
  );
  const asked: string[] = [];
  db.on('query', ({ sql }: { sql: string }) => asked.push(sql));
  const shown = await shownBy((registers) => floatFigures(registers, stage.context));
  db.removeAllListeners('query');
  expect(shown.size).toBe(50);
  expect(asked.length).toBeLessThan(10);
});
