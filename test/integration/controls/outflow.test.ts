import { endLimit } from '../../../src/controls/limits';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createPayer, settled, type Payer } from './stage';

const hour = 3_600_000;
const refused = (limit: string, amount: string, others: object = {}) => ({
  code: 'OUTFLOW_LIMIT_REACHED',
  status: 400,
  options: { extra: { limit, limit_amount: amount, limit_currency: 'KES', ...others } },
});

let database: TestDatabase;
let db: Database;
let payer: Payer;
/** How far the clock of this sandbox is advanced, in milliseconds. */
let aheadMs = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(async () => {
  payer = await createPayer(db, { aheadMs: () => aheadMs });
});
afterAll(() => database.drop());

describe('a limit on one payment', () => {
  it('allows exactly its amount, any number of times, and not a cent more', async () => {
    await payer.limit({ kind: 'per_payment', amount: '10000' });
    await payer.pay(10_000n);
    await payer.pay(10_000n);
    await expect(payer.pay(10_001n)).rejects.toMatchObject({
      ...refused('per_payment', '100.00'),
      message: 'At most 100.00 KES can be paid out in one payment',
    });
    expect(await payer.counted()).toBe(20_000n);
  });

  it('writes nothing for a payout that it rejects', async () => {
    await payer.limit({ kind: 'per_payment', amount: '10000' });
    await expect(payer.pay(10_001n)).rejects.toThrow();
    expect(await db('payments').where({ merchant_id: payer.merchantId })).toEqual([]);
    expect(await payer.counted()).toBe(0n);
  });

  it('does not apply to other currencies, rails and merchants', async () => {
    await payer.limit({ kind: 'per_payment', amount: '1', currency: 'USD' });
    await payer.limit({ kind: 'per_payment', amount: '1', rail: 'quiet' });
    await (await createPayer(db)).limit({ kind: 'per_payment', amount: '1' });
    await payer.pay(10_000n);
    await expect(payer.pay(2n, { rail: 'quiet' })).rejects.toMatchObject(refused('per_payment', '0.01'));
  });
});

describe.each([
  { kind: 'per_hour', windowMs: hour },
  { kind: 'per_day', windowMs: 24 * hour },
  { kind: 'per_recipient_day', windowMs: 24 * hour },
] as const)('a limit $kind', ({ kind, windowMs }) => {
  it('reports to the millisecond when it frees, and allows the same amount then', async () => {
    await payer.limit({ kind, amount: '10000' });
    const first = await payer.pay(4_000n);
    await payer.pay(6_000n);
    const row = await db('outflows').where({ payment_id: first.payment_id }).first();
    const freesAtMs = (row?.accepted_at.getTime() ?? 0) + windowMs - aheadMs;
    await expect(payer.pay(4_000n)).rejects.toMatchObject(
      refused(kind, '100.00', { frees_at: new Date(freesAtMs).toISOString() }),
    );
    // As if they had been created earlier, so that the first is just outside the window.
    const now = await clock();
    const earlierMs = freesAtMs + aheadMs - now.getTime();
    for (const [table, column] of [
      ['outflows', 'accepted_at'],
      ['payments', 'created_at'],
    ] as const)
      await db.raw('UPDATE ?? SET ?? = ?? - INTERVAL ? MICROSECOND WHERE merchant_id = ?', [
        ...[table, column, column, earlierMs * 1_000, payer.merchantId],
      ]);
    await payer.pay(4_000n);
  });

  it('frees with the clock of a sandbox that is advanced', async () => {
    await payer.limit({ kind, amount: '10000' });
    await payer.pay(10_000n);
    await expect(payer.pay(1n)).rejects.toMatchObject(refused(kind, '100.00'));
    aheadMs += windowMs;
    await payer.pay(10_000n);
  });

  it('reports no time when the amount is above the limit itself', async () => {
    await payer.limit({ kind, amount: '10000' });
    await payer.pay(5_000n);
    await expect(payer.pay(10_001n)).rejects.toMatchObject({
      options: { extra: expect.not.objectContaining({ frees_at: expect.anything() }) },
    });
  });

  it('is not exceeded by a cent by a hundred requests at once', async () => {
    await payer.limit({ kind, amount: '10050' });
    const all = await settled(Array.from({ length: 100 }, () => payer.pay(100n * 10n)));
    expect(all.taken).toBe(10);
    expect(all.refused).toHaveLength(90);
    for (const denial of all.refused) expect(denial).toMatchObject({ code: 'OUTFLOW_LIMIT_REACHED' });
    expect(await payer.counted()).toBe(10_000n);
    await payer.pay(50n);
    await expect(payer.pay(1n)).rejects.toMatchObject(refused(kind, '100.50'));
  });

  it('counts payouts from before it was set', async () => {
    await payer.pay(10_000n);
    await payer.limit({ kind, amount: '10000' });
    await expect(payer.pay(1n)).rejects.toMatchObject(refused(kind, '100.00'));
  });

  it('frees the amount of failed and cancelled payouts, and not of returned ones', async () => {
    await payer.limit({ kind, amount: '10000' });
    await payer.end(await payer.pay(10_000n), 'failed');
    await payer.end(await payer.pay(10_000n), 'cancelled');
    const paid = await payer.pay(10_000n);
    await payer.end(paid, 'pending');
    await expect(payer.pay(1n)).rejects.toMatchObject(refused(kind, '100.00'));
  });

  it('accepts a bulk as a whole, or rejects it at the first payout that does not fit', async () => {
    await payer.limit({ kind, amount: '10000' });
    const many = (count: number) => Array.from({ length: count }, () => payer.draft(1_000n));
    await expect(payer.payMany(many(11))).rejects.toMatchObject({
      code: 'OUTFLOW_LIMIT_REACHED',
      message: expect.stringContaining('payouts.10: At most 100.00 KES'),
      options: { details: [{ field: 'payouts.10' }] },
    });
    expect(await payer.counted()).toBe(0n);
    await payer.payMany(many(10));
    await expect(payer.payMany(many(1))).rejects.toMatchObject({ code: 'OUTFLOW_LIMIT_REACHED' });
    expect(await payer.counted()).toBe(10_000n);
  });

  it('no longer applies after its end', async () => {
    const limitId = await payer.limit({ kind, amount: '10000' });
    await payer.pay(10_000n);
    await endLimit(db, limitId, ended());
    await payer.pay(10_000n);
  });
});

describe('limits', () => {
  it('count each recipient separately', async () => {
    await payer.limit({ kind: 'per_recipient_day', amount: '10000' });
    await payer.pay(10_000n);
    await payer.pay(10_000n, { recipient: '+254700000002' });
    await expect(payer.pay(1n)).rejects.toMatchObject(refused('per_recipient_day', '100.00'));
  });

  it('count all rails together without a rail, and one rail with it', async () => {
    await payer.limit({ kind: 'per_day', amount: '10000' });
    await payer.limit({ kind: 'per_hour', amount: '5000', rail: 'loud' });
    await payer.pay(5_000n);
    await expect(payer.pay(1n)).rejects.toMatchObject(refused('per_hour', '50.00'));
    await payer.pay(5_000n, { rail: 'quiet' });
    await expect(payer.pay(1n, { rail: 'quiet' })).rejects.toMatchObject(refused('per_day', '100.00'));
  });

  it('all apply, and the error names the one that frees last', async () => {
    await payer.limit({ kind: 'per_hour', amount: '5000' });
    await payer.limit({ kind: 'per_day', amount: '5000' });
    await payer.pay(5_000n);
    await expect(payer.pay(1n)).rejects.toMatchObject(refused('per_day', '50.00'));
    await payer.limit({ kind: 'per_day', amount: '100000' });
    await expect(payer.pay(1n)).rejects.toMatchObject(refused('per_hour', '50.00'));
  });

  it('apply to each merchant separately without a merchant', async () => {
    const id = await payer.limit({ kind: 'per_day', amount: '10000', merchant_id: null });
    const other = await createPayer(db);
    await payer.pay(10_000n);
    await other.pay(10_000n);
    await expect(other.pay(1n)).rejects.toMatchObject(refused('per_day', '100.00'));
    await endLimit(db, id, ended());
  });

  it('are replaced, and the former one is stored with its end', async () => {
    const first = await payer.limit({ kind: 'per_day', amount: '10000' });
    await payer.limit({ kind: 'per_day', amount: '20000' });
    await payer.pay(20_000n);
    const kept = await db('outflow_limits').where({ limit_id: first }).first();
    expect(kept).toMatchObject({ amount: '10000', ended_at: expect.any(Date) });
  });

  it('hold for many bulks of one merchant at once, which queue without deadlocks', async () => {
    await payer.limit({ kind: 'per_hour', amount: '100000' });
    await payer.limit({ kind: 'per_recipient_day', amount: '100000' });
    const bulk = () => payer.payMany(Array.from({ length: 300 }, () => payer.draft(100n)));
    const all = await settled([
      bulk(),
      bulk(),
      bulk(),
      bulk(),
      ...Array.from({ length: 40 }, () => payer.pay(1_000n)),
    ]);
    for (const denial of all.refused) expect(denial).toMatchObject({ code: 'OUTFLOW_LIMIT_REACHED' });
    expect(await payer.counted()).toBeLessThanOrEqual(100_000n);
    expect(await payer.counted()).toBeGreaterThan(69_000n);
  });

  it('are exact even if one is set while payouts are created', async () => {
    const paying = Array.from({ length: 60 }, () => payer.pay(1_000n));
    const limiting = payer.limit({ kind: 'per_day', amount: '20000' });
    const all = await settled(paying);
    const row = await db('outflow_limits')
      .where({ limit_id: await limiting })
      .first();
    // Each payout after the limit was checked against all payouts before it.
    const rows = await db('outflows').where({ merchant_id: payer.merchantId }).orderBy('accepted_at');
    const since = rows.filter(({ accepted_at: at }) => at > (row?.from_at ?? at));
    expect(since.length === 0 || rows.length <= 20).toBe(true);
    expect(rows).toHaveLength(all.taken);
    await expect(payer.pay(20_000n)).rejects.toMatchObject({ code: 'OUTFLOW_LIMIT_REACHED' });
  });

  it('leave the books clean', () => expectClean({ db }));
});

describe('the default limits', () => {
  it('apply to a merchant without its own limits, kind by kind', async () => {
    const bounded = await createPayer(db, { outflowDefaults: true });
    await expect(bounded.pay(6_500_001n)).rejects.toMatchObject(refused('per_payment', '65000.00'));
    await bounded.pay(6_500_000n);
    await bounded.limit({ kind: 'per_payment', amount: '10000000' });
    await expect(bounded.pay(10_000_000n)).rejects.toMatchObject(refused('per_recipient_day', '130000.00'));
    await bounded.limit({ kind: 'per_recipient_day', amount: '1000000000' });
    await bounded.pay(10_000_000n);
  });

  it('are stored with each payout, as they were at that time', async () => {
    const bounded = await createPayer(db, { outflowDefaults: true });
    const free = await createPayer(db);
    const [within, without] = [await bounded.pay(100n), await free.pay(100n)];
    const nameOf = async ({ payment_id: id }: PaymentRow) =>
      (await db('outflows').where({ payment_id: id }).first())?.defaults_id;
    expect(await nameOf(without)).toBeNull();
    const kept = await db('outflow_defaults')
      .where({ defaults_id: (await nameOf(within)) ?? '', currency: 'KES' })
      .orderBy('kind')
      .select('kind', 'amount');
    expect(kept).toEqual([
      { kind: 'per_day', amount: '260000000' },
      { kind: 'per_hour', amount: '65000000' },
      { kind: 'per_payment', amount: '6500000' },
      { kind: 'per_recipient_day', amount: '13000000' },
    ]);
  });

  it('do not apply in a sandbox', async () => {
    await payer.pay(100_000_000n);
  });
});

const ended = () => ({ by: 'nobody', aheadMs, reason: 'a test' });

async function clock(): Promise<Date> {
  const [[{ now }]] = (await db.raw('SELECT UTC_TIMESTAMP(3) AS now')) as unknown as [[{ now: Date }]];
  return new Date(now.getTime() + aheadMs);
}
