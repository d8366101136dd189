import type { ProviderResult } from '../../../../src/domain/outcome';
import { runLateChecks } from '../../../../src/payments/recovery/late-checks';
import {
  overdueMs,
  createSweeper,
  sweeperAges,
  unfinishedIds,
} from '../../../../src/payments/recovery/sweeper';
import * as claims from '../../../../src/payments/recovery/sweeper';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
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
  /** A pending payment whose next check is due since `ms`. */
  const overdueBy = async (ms: number) => {
    const paymentId = await insertPayment(db);
    await submitPayment(context, paymentId);
    await db('payments')
      .where({ payment_id: paymentId })
      .update({ next_check_at: ago(ms) });
    return paymentId;
  };
  /** Stores a notification of the payment, and signals no workflow. */
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
  /** Simulates that this much time has passed. */
  const later = (ms: number) =>
    db('payments').update({
      next_check_at: db.raw('next_check_at - INTERVAL ? MICROSECOND', [ms * 1_000]),
      signalled_at: db.raw('signalled_at - INTERVAL ? MICROSECOND', [ms * 1_000]),
    });

  it('leaves young and just accepted payments alone', async () => {
    await insertPayment(db);
    await submitPayment(context, await insertPayment(db));
    expect(await sweep()).toBe(0);
    expect(engine.signalled).toEqual([]);
  });

  it('starts a payment whose process died before it could', async () => {
    const paymentId = await insertPayment(db, { next_check_at: ago(500) });
    expect(await sweep()).toBe(1);
    expect(engine.signalled).toEqual([paymentId]);
    expect(await rowOf(paymentId)).toMatchObject({ state: 'received' });
  });

  it('ends one that never started, and notifies its merchant', async () => {
    const created = ago(sweeperAges.giveUpAfterMs + 1_000);
    const paymentId = await insertPayment(db, { created_at: created, next_check_at: created });
    await sweep();
    expect(await rowOf(paymentId)).toMatchObject({
      state: 'failed',
      failure_code: 'NOT_STARTED',
      next_check_at: null,
    });
    expect(await db('outbox').where({ payment_id: paymentId })).toHaveLength(1);
    // It is signalled all the same: its workflow delivers the webhook, and queries no provider for an ended payment.
    expect(engine.signalled).toEqual([paymentId]);
    expect(await submitPayment(context, paymentId)).toMatchObject({
      initiation: { answer: { kind: 'refused' } },
    });
    expect(context.provider.initiated).toEqual([]);
  });

  it('never ends a queued refund; after an hour an operator gets a case', async () => {
    const deposit = await insertPayment(db);
    await db('payments').update({ state: 'succeeded', is_final: 1, next_check_at: null });
    const waiting = (created: Date) =>
      insertPayment(db, { kind: 'refund', parent_id: deposit, created_at: created, next_check_at: created });
    const young = await waiting(ago(20 * sweeperAges.giveUpAfterMs));
    const old = await waiting(ago(3_601_000));
    expect(await sweep()).toBe(2);
    expect([...engine.signalled].sort()).toEqual([young, old].sort());
    expect(await rowOf(old)).toMatchObject({ state: 'received' });
    expect([await casesOf(young), await casesOf(old)]).toEqual([[], ['refund_waits']]);
  });

  it('leaves a refund alone that waits for its turn; behind one that never ends, an operator gets a case', async () => {
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
    expect(await submitPayment(context, waiting)).toMatchObject({ kind: 'try_again', afterMs: 60_000 });
    expect(await sweep()).toBe(0);
    expect(await casesOf(waiting)).toEqual([]);
    await db('payments')
      .where({ payment_id: waiting })
      .update({ created_at: ago(3_601_000) });
    await submitPayment(context, waiting);
    expect(await casesOf(waiting)).toEqual(['refund_waits']);
  });

  it('signals a payment again whose notification is still unread', async () => {
    const paymentId = await overdueBy(-60_000);
    await report(paymentId);
    expect(await sweep()).toBe(0);
    await db('inbox').update({ received_at: ago(sweeperAges.eventAfterMs + 500) });
    expect(await sweep()).toBe(1);
    expect(engine.signalled).toEqual([paymentId]);
  });

  it('takes over an overdue webhook, also of an ended payment', async () => {
    const paymentId = await insertPayment(db);
    context.provider.acceptances = [
      { kind: 'refused', publicCode: 'CUSTOMER_BUSY', providerCode: 'x', text: 'busy' },
    ];
    await submitPayment(context, paymentId);
    expect(await sweep()).toBe(0);
    await db('outbox').update({ next_at: ago(sweeperAges.webhookOverdueMs + 1_000) });
    expect(await sweep()).toBe(1);
    expect(engine.signalled).toEqual([paymentId]);
  });

  it('checks an open payment whose check is overdue; ended payments have separate rounds', async () => {
    const open = await overdueBy(1_000);
    const watched = await overdueBy(1_000);
    await db('payments').where({ payment_id: watched }).update({ state: 'timed_out', is_final: 1 });
    expect(await sweep()).toBe(1);
    expect(engine.signalled).toEqual([open]);
    expect(await runLateChecks(context, engine, 'stk')).toEqual({ checked: 1, signalled: 1 });
    expect(engine.signalled).toEqual([open, watched]);
    expect(await runLateChecks(context, engine, 'stk')).toEqual({ checked: 0, signalled: 0 });
  });

  it('claims it in the row, so that neither another process nor a new one wakes it again', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => overdueBy(1_000)));
    const signalled = await Promise.all([sweep(), sweep(), sweep()]);
    expect(signalled.reduce((sum, each) => sum + each, 0)).toBe(30);
    expect([...engine.signalled].sort()).toEqual([...ids].sort());
    expect(await sweep()).toBe(0);
  });

  describe('a claim of a process that died after claiming payments and waking none', () => {
    /** The longest time that a claim waits for its process. */
    const goalMs = 15_000;

    it('leaves one that was never started to be started, and not ended', async () => {
      const paymentId = await insertPayment(db, { next_check_at: ago(500) });
      await claims.claimOverdueChecks(db, 'stk', { isBehind: false });
      expect(await sweep()).toBe(0);
      await later(goalMs - 500);
      expect(await sweep()).toBe(1);
      expect(engine.signalled).toEqual([paymentId]);
      expect(await rowOf(paymentId)).toMatchObject({ state: 'received' });
    });

    it('finds an unread notification soon, and then less and less often', async () => {
      const paymentId = await overdueBy(-86_400_000);
      await report(paymentId);
      await db('inbox').update({ received_at: ago(sweeperAges.eventAfterMs + 500) });
      await claims.claimUnreadEvents(db, ago(sweeperAges.eventAfterMs));
      const signalledAfterSeconds: number[] = [];
      for (let second = 1; second <= 100; second += 1) {
        await later(1_000);
        await db('inbox').update({ received_at: db.raw('received_at - INTERVAL 1 SECOND') });
        if ((await sweep()) > 0) signalledAfterSeconds.push(second);
      }
      expect(signalledAfterSeconds[0]).toBeLessThanOrEqual(goalMs / 1_000);
      expect(signalledAfterSeconds.length).toBeGreaterThan(2);
      expect(signalledAfterSeconds.length).toBeLessThan(8);
    });
  });

  it('waits longer and longer without a check, then opens a case; a check resets the wait', async () => {
    const paymentId = await overdueBy(1_000);
    const rests = [];
    for (let n = 1; n <= 13; n += 1) {
      expect(await casesOf(paymentId)).toEqual([]);
      expect(await sweep()).toBe(1);
      const { next_check_at: next, signals } = await rowOf(paymentId);
      expect(signals).toBe(n);
      rests.push(Math.round(((next?.getTime() ?? 0) - Date.now()) / 5_000));
      await later(3_600_000);
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 720, 720, 720]);
    expect(await casesOf(paymentId)).toEqual(['stands_still']);

    await review(context, { paymentId, cause: 'notification', patient: true, ask: (_rail, call) => call() });
    expect(await rowOf(paymentId)).toMatchObject({ signals: 0, next_check_at: expect.any(Date) });
    expect(await sweep()).toBe(0);
  });

  it('makes the workflow query the provider for a signalled payment, even without a notification', async () => {
    const paymentId = await overdueBy(1_000);
    const check = () => review(context, { paymentId, cause: 'notification', patient: true, ask });
    let asked = 0;
    const ask = (_rail: string, call: () => Promise<ProviderResult>) => {
      asked += 1;
      return call();
    };
    await sweep();
    await check();
    expect(asked).toBe(1);
    await check();
    expect(asked).toBe(1);
  });

  it('releases payments that it could not signal, each due as before', async () => {
    const ids = [await overdueBy(600_000), await overdueBy(1_000)];
    const before = await Promise.all(ids.map(rowOf));
    const signalOrStart = engine.signalOrStart;
    engine.signalOrStart = () => Promise.reject(new Error('unavailable'));
    for (let round = 1; round <= 2; round += 1) await expect(sweep()).rejects.toThrow('unavailable');
    expect(await Promise.all(ids.map(rowOf))).toEqual(before);
    expect(await overdueMs(context)).toBeGreaterThan(590_000);
    engine.signalOrStart = signalOrStart;
    expect(await sweep()).toBe(2);
  });

  it('wakes all others, however long one of them fails', async () => {
    const poison = await insertPayment(db, { next_check_at: ago(5_000) });
    const others = await Promise.all(
      Array.from({ length: 12 }, () => insertPayment(db, { next_check_at: ago(1_000) })),
    );
    const signalOrStart = engine.signalOrStart.bind(engine);
    engine.signalOrStart = (payment, source) =>
      payment.payment_id === poison ? Promise.reject(new Error('too large')) : signalOrStart(payment, source);
    await expect(sweep()).rejects.toThrow('too large');
    expect(new Set(engine.signalled)).toEqual(new Set(others));
  });

  it('finds open payments by their own index', async () => {
    const paymentId = await overdueBy(600_000);
    await db('payments').where({ payment_id: paymentId }).update({ is_final: 1, state: 'failed' });
    expect(await overdueMs(context)).toBe(0);
  });

  it('leaves the next check unchanged if only an update could not be signalled', async () => {
    const paymentId = await overdueBy(-3_600_000);
    await db('payments').where({ payment_id: paymentId }).update({ signals: 3 });
    const before = await rowOf(paymentId);
    await report(paymentId);
    await db('inbox').update({ received_at: ago(sweeperAges.eventAfterMs + 500) });
    engine.signalOrStart = () => Promise.reject(new Error('unavailable'));
    await expect(sweep()).rejects.toThrow('unavailable');
    expect(await rowOf(paymentId)).toMatchObject({
      signals: 3,
      next_check_at: before.next_check_at,
      signalled_at: null,
    });
  });

  it('wakes a payment once per round, for however many reasons', async () => {
    const paymentId = await overdueBy(1_000);
    await report(paymentId);
    await db('inbox').update({ received_at: ago(sweeperAges.eventAfterMs + 500) });
    expect(await sweep()).toBe(1);
    expect(engine.signalled).toEqual([paymentId]);
  });

  it('covers every payment that is not final, or still owes its merchant a webhook', async () => {
    const open = await overdueBy(-60_000);
    const owing = await insertPayment(db);
    context.provider.acceptances = [
      { kind: 'refused', publicCode: 'CUSTOMER_BUSY', providerCode: 'x', text: 'busy' },
    ];
    await submitPayment(context, owing);
    const done = await insertPayment(db);
    await submitPayment(context, done);
    await db('outbox').where({ payment_id: done }).update({ state: 'delivered' });
    expect((await unfinishedIds(context)).sort()).toEqual([open, owing].sort());
  });
});
