import { barrierNow } from '../../../../src/controls/payout-barrier';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { inTransaction } from '../../../../src/store/transaction';
import { insertMerchant } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { payOut } from '../../../support/verify/books-support';
import { fund, isSent, nextFloatStage, type FloatStage } from '../float-stage';

let test: TestDatabase;
let merchantId: string;
let stage: FloatStage;
const pays = (amountMinor: bigint, ending?: 'succeeded' | 'failed') =>
  payOut(stage.context, { merchantId, kind: 'payout', amountMinor }, ending);

beforeAll(async () => {
  test = await createTestDatabase();
  merchantId = await insertMerchant(test.db);
  await fund(test.db, merchantId);
});
afterAll(() => test.drop());
beforeEach(async () => {
  stage = await nextFloatStage(test.db);
});

describe('a wallet below our books', () => {
  it('has one case, and its payouts are on hold, from the second answer on', async () => {
    stage.holds(100_000n);
    await stage.prove();
    stage.holds(99_999n);
    expect(await stage.prove()).toMatchObject({ verdict: 'short', in_a_row: 1 });
    expect([await stage.cases(), await stage.stops()]).toEqual([[], []]);

    for (let more = 0; more < 3; more += 1) {
      await stage.prove();
      // Known shortages are not queried each minute.
    }
    const name = `the ${stage.wallets.provider} KEN KES wallet`;
    expect(await stage.cases()).toEqual([
      `float_short: ${name} has 999.99, but should have 1000.00: 0.01 too little`,
    ]);
    expect(await stage.stops()).toEqual([
      { rail: 'loud', country: 'KEN', begun_by: 'float check', with_refunds: 0 },
    ]);
    const payment = await getPaymentOrThrow(test.db, await pays(1_000n));
    const barrier = await inTransaction(test.db, (trx) => barrierNow(trx, payment));
    expect(barrier).toMatchObject({ kind: 'stop', stop: { begun_by: 'float check' } });
    const [line] = await test.db('audit_log').orderBy('seq', 'desc').limit(1);
    expect(line).toMatchObject({ acted_by: 'float check', action: 'payouts.stop' });
  });

  it('closes its case once it agrees, and its payouts stay on hold', async () => {
    stage.holds(100_000n);
    await stage.prove();
    stage.holds(90_000n);
    await stage.prove();
    await stage.prove();
    stage.holds(100_000n);
    await stage.prove();
    expect(await stage.cases()).toEqual([]);
    const [closed] = await test.db('cases').orderBy('case_id', 'desc').limit(1);
    expect(closed).toMatchObject({ closed_by: 'malipo', resolution: 'the balance agrees again' });
    expect(await stage.stops()).toHaveLength(1);
  });

  it('is paused again after an operator resumed its payouts, only if more is missing than then', async () => {
    stage.holds(100_000n);
    await stage.prove();
    // It may have been sent or not, so 9,000 to 10,000 are missing, and more while it is paused.
    await isSent(test.db, await pays(1_000n));
    stage.holds(90_000n);
    await stage.prove();
    await stage.prove();
    stage.holds(85_000n);
    await stage.prove();
    const started = () =>
      test.db('payout_pauses').whereNull('ended_at').update({ ended_at: new Date(), ended_by: 'amina' });
    expect(await started()).toBe(1);
    await test.db('payments').where({ is_final: 0 }).update({ is_final: 1, state: 'timed_out' });
    await test.db.raw("UPDATE payments SET changed_at = '2020-01-01' WHERE state = 'timed_out'");
    expect(await stage.prove()).toMatchObject({ verdict: 'short', gap_minor: '15000' });
    expect([(await stage.cases()).length, (await stage.stops()).length]).toEqual([1, 0]);
    for (const [balance, stops] of [
      [84_999n, 0],
      [85_000n, 0],
      [84_999n, 0],
      [84_998n, 1],
    ] as const) {
      stage.holds(balance);
      await stage.prove();
      expect([(await stage.cases()).length, (await stage.stops()).length]).toEqual([1, stops]);
    }
    await started();
    stage.holds(100_000n);
    await stage.prove();
    stage.holds(99_999n);
    await stage.prove();
    await stage.prove();
    expect(await stage.stops()).toHaveLength(1);
  });

  it('whose case an operator has closed, and whose payouts are resumed, opens only another case', async () => {
    stage.holds(100_000n);
    await stage.prove();
    stage.holds(90_000n);
    await stage.prove();
    await stage.prove();
    await test.db('payout_pauses').whereNull('ended_at').update({ ended_at: new Date(), ended_by: 'amina' });
    await test.db('cases').whereNull('closed_at').update({ closed_at: new Date(), open_key: null });
    await stage.prove();
    expect([(await stage.cases()).length, (await stage.stops()).length]).toEqual([1, 0]);
  });

  it('opens none if the next answer agrees, or the missing money arrives meanwhile', async () => {
    stage.holds(100_000n);
    await stage.prove();
    for (const balance of [99_000n, 100_000n, 99_000n, 100_000n]) {
      stage.holds(balance);
      await stage.prove();
    }
    expect([await stage.cases(), await stage.stops()]).toEqual([[], []]);
  });

  it('is not paused for possible fees of small payments, unless its fees are configured', async () => {
    stage.wallets.mayKeepPerMille = 500;
    await stage.prove(150);
    await pays(100_000n, 'succeeded');
    const short = async (balance: bigint) => {
      stage.holds(balance);
      for (let more = 0; more < 2; more += 1) await stage.prove(150);
      return [(await stage.cases()).length, (await stage.stops()).length];
    };
    expect(await short(-115_000n)).toEqual([0, 0]);
    expect(await short(-150_000n)).toEqual([1, 0]);
    expect(await short(-150_001n)).toEqual([1, 1]);
    await test.db('payout_pauses').update({ ended_at: new Date() });
    expect(await short(-115_000n)).toEqual([0, 0]);
    await test.db('float_wallets').update({ fee_per_mille: 150 });
    expect(await short(-115_001n)).toEqual([1, 1]);
  });

  it('pauses nothing if nothing is paid out of it', async () => {
    stage.wallets.paysOut = false;
    stage.holds(100_000n);
    await stage.prove();
    stage.holds(90_000n);
    await stage.prove();
    await stage.prove();
    expect([(await stage.cases()).length, (await stage.stops()).length]).toEqual([1, 0]);
  });
});
