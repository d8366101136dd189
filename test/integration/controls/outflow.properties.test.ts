import fc from 'fast-check';
import { verify } from '../../../src/verify/verify';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { testContext } from '../../support/verify/books-support';
import { createPayer, settled } from './stage';

const most = { per_payment: 600n, per_hour: 2_000n, per_day: 2_500n, per_recipient_day: 900n } as const;

/** Payouts and their final states, in any order. The steps of one list run at once. */
const pay = fc.record({
  kind: fc.constant('pay' as const),
  amounts: fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 4 }),
  recipient: fc.integer({ min: 1, max: 3 }),
  rail: fc.constantFrom('loud', 'quiet'),
});
const end = fc.record({
  kind: fc.constant('end' as const),
  which: fc.nat(),
  how: fc.constantFrom('failed' as const, 'cancelled' as const, 'pending' as const),
});
const histories = fc.array(
  fc.array(fc.oneof({ weight: 3, arbitrary: pay }, end), { minLength: 1, maxLength: 6 }),
  {
    minLength: 2,
    maxLength: 5,
  },
);

describe('payouts in any order', () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
  });
  afterAll(() => database.drop());

  it('never exceed a limit, and only those that would exceed one are rejected', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const payer = await createPayer(db);
        for (const [kind, amount] of Object.entries(most))
          await payer.limit({ kind: kind as keyof typeof most, amount: amount.toString() });
        const open: PaymentRow[] = [];
        for (const together of history) {
          // Chosen before they run, so that no payout ends twice.
          const ends = together.flatMap((step) => {
            const [payment] = step.kind === 'end' ? open.splice(step.which % (open.length || 1), 1) : [];
            return step.kind === 'end' && payment ? [payer.end(payment, step.how)] : [];
          });
          const pays = together.flatMap((step) =>
            step.kind === 'pay'
              ? [
                  payer
                    .payMany(
                      step.amounts.map((amount) =>
                        payer.draft(BigInt(amount), { recipient: String(step.recipient), rail: step.rail }),
                      ),
                    )
                    .then((payments) => open.push(...payments)),
                ]
              : [],
          );
          const { refused } = await settled([...ends, ...pays]);
          for (const denial of refused) expect(denial).toMatchObject({ code: 'OUTFLOW_LIMIT_REACHED' });
          const rows = await db('outflows').where({ merchant_id: payer.merchantId, released_at: null });
          const sumOf = (some: typeof rows) => some.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
          const recipients = new Set(rows.map(({ recipient_hash: hash }) => hash?.toString('hex')));
          for (const { amount } of rows) expect(BigInt(amount)).toBeLessThanOrEqual(most.per_payment);
          expect(sumOf(rows)).toBeLessThanOrEqual(most.per_hour);
          for (const recipient of recipients) {
            const own = rows.filter(({ recipient_hash: hash }) => hash?.toString('hex') === recipient);
            expect(sumOf(own)).toBeLessThanOrEqual(most.per_recipient_day);
          }
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
    const { checks } = await verify(db, testContext(db).rails);
    expect(checks.filter(({ violations }) => violations.length > 0)).toEqual([]);
  });
});
