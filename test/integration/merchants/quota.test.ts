/** The remaining quota that a caller gets. */
import { takeToken, type Limit, type TokenDecision } from '../../../src/merchants/rate-limit';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

let buckets = 0;
/** Calls one after the other, each at its own time in seconds. */
function callsOf(limit: Omit<Limit, 'bucket'>): (at: number) => Promise<TokenDecision> {
  buckets += 1;
  const bucket = `quota-${String(buckets)}`;
  return (at) =>
    takeToken(
      test.db,
      { bucket, ...limit },
      `(TIMESTAMP'2026-01-01 00:00:00.000000' + INTERVAL ${String(at)} SECOND)`,
    );
}

describe('the remaining quota', () => {
  it('is on each answer, from the tokens and the last minute', async () => {
    const call = callsOf({ ratePerMinute: 60, burst: 4 });
    const left = async (at: number) => (await call(at)).quota;
    expect([await left(0), await left(0), await left(0)]).toEqual([
      { limit: 60, remaining: 3, resetSeconds: 61 },
      { limit: 60, remaining: 2, resetSeconds: 61 },
      { limit: 60, remaining: 1, resetSeconds: 61 },
    ]);
    // Two have refilled, and one is taken.
    expect(await left(2)).toMatchObject({ remaining: 2 });
    expect(await left(600)).toMatchObject({ remaining: 3 });
  });

  it('is limited by the last minute, and zero for a rejected call', async () => {
    const call = callsOf({ ratePerMinute: 6, burst: 6 });
    for (let n = 0; n < 5; n += 1) await call(0);
    // Five tokens by now, and six calls a minute.
    expect((await call(50)).quota).toEqual({ limit: 6, remaining: 0, resetSeconds: 61 });
    const refused = await call(50);
    expect(refused).toMatchObject({ allowed: false, quota: { limit: 6, remaining: 0, resetSeconds: 61 } });
  });

  it('is full again when both limits are', async () => {
    const call = callsOf({ ratePerMinute: 1, burst: 3 });
    await call(0);
    expect((await call(0)).quota).toEqual({ limit: 3, remaining: 1, resetSeconds: 120 });
  });
});
