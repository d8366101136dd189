import type { Finding } from '../../../../src/domain/outcome';
import { runLateChecks } from '../../../../src/payments/recovery/late-checks';
import {
  overdueMs,
  createSweeper,
  sweeperAges,
  unfinishedIds,
} from '../../../../src/payments/recovery/sweeper';
import * as claims from '../../../../src/payments/recovery/sweeper';
import { initiate } from '../../../../src/payments/submit/initiate';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { storeNotification } from '../../../../src/payments/resolve/inbox';
import { review } from '../../../../src/payments/resolve/review';
import type { Database } from '../../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { insertPayment } from '../../../support/store/rows';
import { fakeContext, fakeEngine, type FakeContext, type FakeEngine } from '../../../support/payments/fakes';

describe('the sweeper', () => {
  let database: TestDatabase;
  let db: Database;
  let context: FakeContext;
  let engine: FakeEngine;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = database.db;
    context = fakeContext(db);
    engine = fakeEngine(() => Promise.resolve('late'));
  });
  afterEach(() => database.drop());

  const sweep = () => createSweeper(context, engine).sweep();
  const ago = (ms: number) => new Date(Date.now() - ms);
  /** A pending payment whose next look is due `ms` ago. */
  const overdueBy = async (ms: number) => {
    const paymentId = await insertPayment(db);
    await initiate(context, paymentId);
    await db('payments')
      .where({ payment_id: paymentId })
      .update({ next_check_at: ago(ms) });
    return paymentId;
  };
  /** Stores a notification of the payment, and nudges nobody. */
  const report = (paymentId: string) =>
    storeNotification(context, 'stk', '127.0.0.1', {
      kind: 'take',
      isProven: true,
      eventKey: 'event',
      payment: { payment_id: paymentId, workflow_id: `stk-push/${paymentId}` },
      body: '{"kind":"open"}',
      acknowledgement: { status: 200, body: {} },
    });
  const rowOf = (paymentId: string) => getPaymentOrThrow(db, paymentId);
  const casesOf = async (paymentId: string) =>
    (await db('cases').where({ payment_id: paymentId })).map(({ reason }) => reason);
  /** As if so much time had passed. */
  const later = (ms: number) =>
    db('payments').update({
      next_check_at: db.raw('next_check_at - INTERVAL ? MICROSECOND', [ms * 1_000]),
      woken_at: db.raw('woken_at - INTERVAL ? MICROSECOND', [ms * 1_000]),
    });

  it('leaves alone what is young, and what was just accepted', async () => {
    await insertPayment(db);
    await initiate(context, await insertPayment(db));
    expect(await sweep()).toBe(0);
    expect(engine.woken).toEqual([]);
  });

  it('starts a payment whose process died before it could', async () => {
    const paymentId = await insertPayment(db, { next_check_at: ago(500) });
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([paymentId]);
    expect(await rowOf(paymentId)).toMatchObject({ state: 'received' });
  });

  it('ends one that never started, and tells its merchant', async () => {
    const created = ago(sweeperAges.giveUpAfterMs + 1_000);
    const paymentId = await insertPayment(db, { created_at: created, next_check_at: created });
    await sweep();
    expect(await rowOf(paymentId)).toMatchObject({
      state: 'failed',
      failure_code: 'NOT_STARTED',
      next_check_at: null,
    });
    expect(await db('outbox').where({ payment_id: paymentId })).toHaveLength(1);
    // Woken all the same: its workflow delivers the webhook, and asks no provider for an ended payment.
    expect(engine.woken).toEqual([paymentId]);
    expect(await initiate(context, paymentId)).toMatchObject({ initiation: { answer: { kind: 'refused' } } });
    expect(context.provider.initiated).toEqual([]);
  });

  it('never ends a refund that waits for its turn; after an hour a person is asked', async () => {
    const deposit = await insertPayment(db);
    await db('payments').update({ state: 'succeeded', is_final: 1, next_check_at: null });
    const waiting = (created: Date) =>
      insertPayment(db, { kind: 'refund', parent_id: deposit, created_at: created, next_check_at: created });
    const young = await waiting(ago(20 * sweeperAges.giveUpAfterMs));
    const old = await waiting(ago(3_601_000));
    expect(await sweep()).toBe(2);
    expect([...engine.woken].sort()).toEqual([young, old].sort());
    expect(await rowOf(old)).toMatchObject({ state: 'received' });
    expect([await casesOf(young), await casesOf(old)]).toEqual([[], ['refund_waits']]);
  });

  it('leaves a refund alone that asks for its turn by itself; behind one without an end a person is asked', async () => {
    const deposit = await insertPayment(db);
    await db('payments').update({ state: 'succeeded', is_final: 1, next_check_at: null });
    const refund = { kind: 'refund', parent_id: deposit, created_at: ago(2_000_000) } as const;
    await insertPayment(db, {
      ...refund,
      state: 'pending',
      next_check_at: new Date(Date.now() + 86_400_000),
    });
    const waiting = await insertPayment(db, {
      ...refund,
      created_at: ago(1_800_000),
      next_check_at: ago(1_000),
    });
    expect(await initiate(context, waiting)).toMatchObject({ kind: 'try_again', afterMs: 60_000 });
    expect(await sweep()).toBe(0);
    expect(await casesOf(waiting)).toEqual([]);
    await db('payments')
      .where({ payment_id: waiting })
      .update({ created_at: ago(3_601_000) });
    await initiate(context, waiting);
    expect(await casesOf(waiting)).toEqual(['refund_waits']);
  });

  it('nudges a payment again whose notification nobody has read', async () => {
    const paymentId = await overdueBy(-60_000);
    await report(paymentId);
    expect(await sweep()).toBe(0);
    await db('inbox').update({ received_at: ago(sweeperAges.noticeAfterMs + 500) });
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([paymentId]);
  });

  it('hands over a webhook that is overdue, also of a payment that has ended', async () => {
    const paymentId = await insertPayment(db);
    context.provider.acceptances = [
      { kind: 'refused', publicCode: 'CUSTOMER_BUSY', providerCode: 'x', text: 'busy' },
    ];
    await initiate(context, paymentId);
    expect(await sweep()).toBe(0);
    await db('outbox').update({ next_at: ago(sweeperAges.webhookOverdueMs + 1_000) });
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([paymentId]);
  });

  it('looks at an open payment whose look is overdue; what has ended is looked at in rounds of its own', async () => {
    const open = await overdueBy(1_000);
    const watched = await overdueBy(1_000);
    await db('payments').where({ payment_id: watched }).update({ state: 'timed_out', is_final: 1 });
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([open]);
    expect(await runLateChecks(context, engine, 'stk')).toEqual({ looked: 1, woken: 1 });
    expect(engine.woken).toEqual([open, watched]);
    expect(await runLateChecks(context, engine, 'stk')).toEqual({ looked: 0, woken: 0 });
  });

  it('claims it in the row, so that neither another process nor a new one wakes it again', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => overdueBy(1_000)));
    const woken = await Promise.all([sweep(), sweep(), sweep()]);
    expect(woken.reduce((sum, each) => sum + each, 0)).toBe(30);
    expect([...engine.woken].sort()).toEqual([...ids].sort());
    expect(await sweep()).toBe(0);
  });

  describe('of another process, which died when it had claimed payments and woken none', () => {
    /** The longest that anything waits for somebody else to take it up. */
    const goalMs = 15_000;

    it('leaves one that was never begun to be started, and not ended', async () => {
      const paymentId = await insertPayment(db, { next_check_at: ago(500) });
      await claims.claimOverdueChecks(db, 'stk', { isBehind: false });
      expect(await sweep()).toBe(0);
      await later(goalMs - 500);
      expect(await sweep()).toBe(1);
      expect(engine.woken).toEqual([paymentId]);
      expect(await rowOf(paymentId)).toMatchObject({ state: 'received' });
    });

    it('leaves an unread notification to be found soon, and then ever more rarely', async () => {
      const paymentId = await overdueBy(-86_400_000);
      await report(paymentId);
      await db('inbox').update({ received_at: ago(sweeperAges.noticeAfterMs + 500) });
      await claims.claimUnreadNotices(db, ago(sweeperAges.noticeAfterMs));
      const wokenAfterSeconds: number[] = [];
      for (let second = 1; second <= 100; second += 1) {
        await later(1_000);
        await db('inbox').update({ received_at: db.raw('received_at - INTERVAL 1 SECOND') });
        if ((await sweep()) > 0) wokenAfterSeconds.push(second);
      }
      expect(wokenAfterSeconds[0]).toBeLessThanOrEqual(goalMs / 1_000);
      expect(wokenAfterSeconds.length).toBeGreaterThan(2);
      expect(wokenAfterSeconds.length).toBeLessThan(8);
    });
  });

  it('rests ever longer where nobody looks, then asks a person; a look begins anew', async () => {
    const paymentId = await overdueBy(1_000);
    const rests = [];
    for (let n = 1; n <= 13; n += 1) {
      expect(await casesOf(paymentId)).toEqual([]);
      expect(await sweep()).toBe(1);
      const { next_check_at: next, wakes } = await rowOf(paymentId);
      expect(wakes).toBe(n);
      rests.push(Math.round(((next?.getTime() ?? 0) - Date.now()) / 5_000));
      await later(3_600_000);
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 720, 720, 720]);
    expect(await casesOf(paymentId)).toEqual(['stands_still']);

    await review(context, { paymentId, cause: 'notification', patient: true, ask: (_rail, call) => call() });
    expect(await rowOf(paymentId)).toMatchObject({ wakes: 0, next_check_at: expect.any(Date) });
    expect(await sweep()).toBe(0);
  });

  it('has the provider asked about what it woke, though nothing was reported', async () => {
    const paymentId = await overdueBy(1_000);
    const look = () => review(context, { paymentId, cause: 'notification', patient: true, ask });
    let asked = 0;
    const ask = (_rail: string, call: () => Promise<Finding>) => {
      asked += 1;
      return call();
    };
    await sweep();
    await look();
    expect(asked).toBe(1);
    await look();
    expect(asked).toBe(1);
  });

  it('gives back what it could not wake, each as long due as it was', async () => {
    const ids = [await overdueBy(600_000), await overdueBy(1_000)];
    const before = await Promise.all(ids.map(rowOf));
    const wake = engine.wake;
    engine.wake = () => Promise.reject(new Error('unavailable'));
    for (let round = 1; round <= 2; round += 1) await expect(sweep()).rejects.toThrow('unavailable');
    expect(await Promise.all(ids.map(rowOf))).toEqual(before);
    expect(await overdueMs(context)).toBeGreaterThan(590_000);
    engine.wake = wake;
    expect(await sweep()).toBe(2);
  });

  it('wakes all others, however long one of them fails', async () => {
    const poison = await insertPayment(db, { next_check_at: ago(5_000) });
    const others = await Promise.all(
      Array.from({ length: 12 }, () => insertPayment(db, { next_check_at: ago(1_000) })),
    );
    const wake = engine.wake.bind(engine);
    engine.wake = (payment) =>
      payment.payment_id === poison ? Promise.reject(new Error('too large')) : wake(payment);
    await expect(sweep()).rejects.toThrow('too large');
    expect(new Set(engine.woken)).toEqual(new Set(others));
  });

  it('stands still by what is open alone', async () => {
    const paymentId = await overdueBy(600_000);
    await db('payments').where({ payment_id: paymentId }).update({ is_final: 1, state: 'failed' });
    expect(await overdueMs(context)).toBe(0);
  });

  it('leaves what is known of its next look as it is where only its news could not be told', async () => {
    const paymentId = await overdueBy(-3_600_000);
    await db('payments').where({ payment_id: paymentId }).update({ wakes: 3 });
    const before = await rowOf(paymentId);
    await report(paymentId);
    await db('inbox').update({ received_at: ago(sweeperAges.noticeAfterMs + 500) });
    engine.wake = () => Promise.reject(new Error('unavailable'));
    await expect(sweep()).rejects.toThrow('unavailable');
    expect(await rowOf(paymentId)).toMatchObject({
      wakes: 3,
      next_check_at: before.next_check_at,
      woken_at: null,
    });
  });

  it('wakes a payment once a round, for however many reasons', async () => {
    const paymentId = await overdueBy(1_000);
    await report(paymentId);
    await db('inbox').update({ received_at: ago(sweeperAges.noticeAfterMs + 500) });
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([paymentId]);
  });

  it('knows every payment that is not finished, or still owes its merchant a webhook', async () => {
    const open = await overdueBy(-60_000);
    const owing = await insertPayment(db);
    context.provider.acceptances = [
      { kind: 'refused', publicCode: 'CUSTOMER_BUSY', providerCode: 'x', text: 'busy' },
    ];
    await initiate(context, owing);
    const done = await insertPayment(db);
    await initiate(context, done);
    await db('outbox').where({ payment_id: done }).update({ state: 'delivered' });
    expect((await unfinishedIds(context)).sort()).toEqual([open, owing].sort());
  });
});
