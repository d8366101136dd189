import { stateBaseline, stateMovement } from '../../../src/floats/opening-adjustment';
import { insertMerchant } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { payOut } from '../../support/verify/books-support';
import { fund, isSent, nextFloatStage, type FloatStage } from '../payments/float-stage';

let test: TestDatabase;
let merchantId: string;
let stage: FloatStage;
const key = () => ({ provider: stage.wallets.provider, country: 'KEN', currency: 'KES' }) as const;
const stated = { by: 'amina', record: () => Promise.resolve() };
const moved = (amountMinor: bigint) => stateMovement(test.db, key(), amountMinor, stated);
async function told(balanceMinor: bigint) {
  stage.holds(balanceMinor);
  const row = await stage.prove();
  return [row?.verdict, row?.offset_lo, row?.offset_hi, row?.coming_minor, row?.going_minor];
}

beforeAll(async () => {
  test = await createTestDatabase();
  merchantId = await insertMerchant(test.db);
  await fund(test.db, merchantId);
});
afterAll(() => test.drop());
beforeEach(async () => {
  stage = await nextFloatStage(test.db);
  await told(100_000n);
});

it('money that is put into a wallet is expected until it shows, and missed once it has', async () => {
  await moved(50_000n);
  for (let before = 0; before < 3; before += 1)
    expect(await told(100_000n)).toEqual(['agrees', '100000', '100000', '50000', '0']);
  expect(await told(150_000n)).toEqual(['agrees', '150000', '150000', '0', '0']);
  expect([await stage.cases(), await stage.stops()]).toEqual([[], []]);
  expect((await told(149_999n))[0]).toBe('short');
});

it('money that is taken out of one may be there until it is gone', async () => {
  await moved(-50_000n);
  for (let before = 0; before < 3; before += 1)
    expect(await told(100_000n)).toEqual(['agrees', '100000', '100000', '0', '50000']);
  expect(await told(50_000n)).toEqual(['agrees', '50000', '50000', '0', '0']);
  expect([await stage.cases(), await stage.stops()]).toEqual([[], []]);
  expect((await told(50_001n))[0]).toBe('over');
});

it('a part of it, as a bank takes its fee, shows as well, and beyond all of it is a difference', async () => {
  await moved(50_000n);
  expect(await told(149_000n)).toEqual(['agrees', '100000', '100000', '50000', '0']);
  expect((await told(99_999n))[0]).toBe('short');
  expect((await told(150_001n))[0]).toBe('over');
  await told(149_000n);
  await stateBaseline(test.db, key(), { ...stated, feePerMille: undefined });
  expect(await told(149_000n)).toEqual(['agrees', '149000', '149000', '0', '0']);
  expect((await told(148_999n))[0]).toBe('short');
});

it('both ways at once, in either order', async () => {
  await moved(50_000n);
  await moved(-20_000n);
  expect(await told(80_000n)).toEqual(['agrees', '80000', '80000', '50000', '0']);
  expect(await told(130_000n)).toEqual(['agrees', '130000', '130000', '0', '0']);
});

it('what can be read in two ways teaches nothing', async () => {
  await isSent(test.db, await payOut(stage.context, { merchantId, kind: 'payout', amountMinor: 60_000n }));
  await moved(-50_000n);
  // The payout has gone out and the money is still there, or it is the other way round.
  expect(await told(45_000n)).toEqual(['agrees', '100000', '100000', '0', '50000']);
  expect((await told(-10_001n))[0]).toBe('short');
});
