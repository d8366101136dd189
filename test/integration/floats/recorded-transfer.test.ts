import { postOpeningAdjustment, stateMovement } from '../../../src/floats/opening-adjustment';
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
async function reported(balanceMinor: bigint) {
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
  await reported(100_000n);
});

it('a recorded top-up may show later, and is required once it has shown', async () => {
  await moved(50_000n);
  for (let before = 0; before < 3; before += 1)
    expect(await reported(100_000n)).toEqual(['agrees', '100000', '100000', '50000', '0']);
  expect(await reported(150_000n)).toEqual(['agrees', '150000', '150000', '0', '0']);
  expect([await stage.cases(), await stage.stops()]).toEqual([[], []]);
  expect((await reported(149_999n))[0]).toBe('short');
});

it('a recorded withdrawal may show later, and is required once it has shown', async () => {
  await moved(-50_000n);
  for (let before = 0; before < 3; before += 1)
    expect(await reported(100_000n)).toEqual(['agrees', '100000', '100000', '0', '50000']);
  expect(await reported(50_000n)).toEqual(['agrees', '50000', '50000', '0', '0']);
  expect([await stage.cases(), await stage.stops()]).toEqual([[], []]);
  expect((await reported(50_001n))[0]).toBe('over');
});

it('a part of the amount may show, because a bank may deduct its fee; more than the amount is a difference', async () => {
  await moved(50_000n);
  expect(await reported(149_000n)).toEqual(['agrees', '100000', '100000', '50000', '0']);
  expect((await reported(99_999n))[0]).toBe('short');
  expect((await reported(150_001n))[0]).toBe('over');
  await reported(149_000n);
  await postOpeningAdjustment(test.db, key(), { ...stated, feePerMille: undefined });
  expect(await reported(149_000n)).toEqual(['agrees', '149000', '149000', '0', '0']);
  expect((await reported(148_999n))[0]).toBe('short');
});

it('a top-up and a withdrawal at once may show in any order', async () => {
  await moved(50_000n);
  await moved(-20_000n);
  expect(await reported(80_000n)).toEqual(['agrees', '80000', '80000', '50000', '0']);
  expect(await reported(130_000n)).toEqual(['agrees', '130000', '130000', '0', '0']);
});

it('an ambiguous balance changes nothing', async () => {
  await isSent(test.db, await payOut(stage.context, { merchantId, kind: 'payout', amountMinor: 60_000n }));
  await moved(-50_000n);
  // Either the payout was sent and the withdrawal was not, or the reverse.
  expect(await reported(45_000n)).toEqual(['agrees', '100000', '100000', '0', '50000']);
  expect((await reported(-10_001n))[0]).toBe('short');
});
