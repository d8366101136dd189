import { PaymentError } from '../../../../src/domain/errors';
import type { PaymentState } from '../../../../src/domain/payment';
import { createPayment } from '../../../../src/payments/create/create-payment';
import { forgetOldGuards } from '../../../../src/payments/create/duplicate-guard';
import type { Call } from '../../../../src/rail-kit/endpoint';
import { applyTransition } from '../../../../src/payments/transition/transition';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentDraft } from '../../../../src/rail-kit/draft';
import { openDatabase, type Database } from '../../../../src/store/database';
import { insertPayment } from '../../../support/store/rows';
import { expectClean } from '../../../support/expect-clean';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../../support/database';
import { callOf, draft, fakeContext, fakeEngine } from '../../../support/payments/fakes';

describe('the duplicate check', () => {
  let database: TestDatabase;
  let db: Database;
  let call: Call;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    call = await callOf(db, (await getPaymentOrThrow(db, await insertPayment(db))).merchant_id);
  });
  afterAll(async () => {
    await expectClean({ db });
    await database.drop();
  });

  let customers = 0;
  const unlike = (): PaymentDraft => {
    customers += 1;
    return { ...draft, sameness: { counterparty: `2547000${String(customers)}`, reference: 'INV-1' } };
  };
  /** @returns the payment's id, or the id of the one that it repeats. */
  async function take(what: PaymentDraft, as: Call = call, on: Database = db): Promise<string> {
    const engine = fakeEngine(() => Promise.resolve('late'));
    try {
      return (await createPayment(fakeContext(on), engine, as, what)).payment.payment_id;
    } catch (error) {
      if (!(error instanceof PaymentError) || error.code !== 'DUPLICATE_PAYMENT') throw error;
      return `repeats ${error.options.extra?.['payment_id'] ?? ''}`;
    }
  }

  it('creates one of fifty concurrent requests, and returns its id to all others, without a deadlock', async () => {
    const wide = openDatabase(database.url, { poolMax: 50, patienceMs: testPatienceMs });
    // Deadlocks of these fifty only: the server counts those of every concurrent test.
    let deadlocks = 0;
    wide.on('query-error', ({ code }: { code?: string }) => {
      if (code === 'ER_LOCK_DEADLOCK') deadlocks += 1;
    });
    const what = unlike();
    try {
      const reported = await Promise.all(Array.from({ length: 50 }, () => take(what, call, wide)));
      const [first, ...others] = reported.filter((id) => !id.startsWith('repeats'));
      expect(others).toEqual([]);
      expect(reported.filter((id) => id === `repeats ${first ?? ''}`)).toHaveLength(49);
      expect(deadlocks).toBe(0);
    } finally {
      await wide.destroy();
    }
  });

  const what = unlike();
  it.each<[string, PaymentDraft]>([
    ['amount', { ...what, requestedMinor: 125_100n }],
    ['counterparty', unlike()],
    ['reference', { ...what, sameness: { counterparty: '254700000', reference: 'INV-2' } }],
    ['order_id', { ...what, orderId: 'A' }],
  ])('creates a payment with another %s', async (_what, other) => {
    const first = await take(what);
    expect([first, `repeats ${first}`]).toContain(await take(what));
    expect(await take(other)).not.toContain('repeats');
  });

  it('ignores requests with different keys, which show by themselves what is the same', async () => {
    const same = unlike();
    const withKey = async (byte: number): Promise<Call> => {
      const keyHash = Buffer.alloc(32, byte);
      const claim = { claim_id: `claim-${String(byte)}`, process_id: 'p' };
      await db('idempotency_keys').insert({
        merchant_id: call.merchant.merchant_id,
        key_hash: keyHash,
        body_hash: keyHash,
        state: 'running',
        created_at: new Date(),
        ...claim,
      });
      return { ...call, idempotency: { keyHash, bodyHash: keyHash, claimId: claim.claim_id } };
    };
    const ids = [await take(same, await withKey(1)), await take(same, await withKey(2)), await take(same)];
    expect(new Set(ids).size).toBe(3);
    expect(ids.join()).not.toContain('repeats');
  });

  it("lasts as long as its merchant has configured, by the database's clock", async () => {
    const same = unlike();
    const within = (seconds: number): Call => ({
      ...call,
      merchant: { ...call.merchant, duplicate_window_s: seconds },
    });
    expect(await take(same, within(0))).not.toContain('repeats');
    expect(await take(same, within(0))).not.toContain('repeats');
    const first = await take(same, within(300));
    const kept = await getPaymentOrThrow(db, first);
    expect(Number(kept.guarded_until) - Number(kept.guarded_from)).toBe(300_000);
    expect(await take(same)).toBe(`repeats ${first}`);
    await db('duplicate_guards')
      .where({ payment_id: first })
      .update({ until_at: db.raw('UTC_TIMESTAMP(3)') as never });
    // The payment's own record of its guard would contradict this change.
    await db('payments').where({ payment_id: first }).update({ guarded_until: kept.guarded_from });
    expect(await take(same)).not.toContain('repeats');
  });

  it('runs faster in a fast sandbox', async () => {
    const same = unlike();
    const context = { ...fakeContext(db), timeScale: 60_000 };
    const engine = fakeEngine(() => Promise.resolve('late'));
    const { payment } = await createPayment(context, engine, call, same);
    expect(Number(payment.created_at)).toBeGreaterThan(0);
    const kept = await getPaymentOrThrow(db, payment.payment_id);
    expect(Number(kept.guarded_until) - Number(kept.guarded_from)).toBe(2);
  });

  it.each<PaymentState[][]>([[['failed']], [['cancelled']], [['initiating', 'timed_out']]])(
    'ends once the first payment is %s, so that the customer may try again',
    async (states) => {
      const same = unlike();
      const first = await take(same);
      for (const to of states) {
        const payment = await getPaymentOrThrow(db, first);
        await db.transaction((trx) => applyTransition(trx, fakeContext(db), payment, { to, cause: 'test' }));
      }
      expect(await take(same)).not.toContain('repeats');
    },
  );

  it('is deleted when it is over, a few at a time, and never before', async () => {
    const first = await take(unlike());
    const old = Buffer.alloc(32, 9);
    const minutesAgo = new Date(Date.now() - 300_000);
    await db('duplicate_guards').insert({ guard_key: old, payment_id: first, until_at: minutesAgo });
    expect(await forgetOldGuards(db)).toBeGreaterThan(0);
    expect(await db('duplicate_guards').where({ guard_key: old })).toEqual([]);
    expect(await db('duplicate_guards').where({ payment_id: first })).toHaveLength(1);
    expect(await forgetOldGuards(db)).toBe(0);
  });
});
