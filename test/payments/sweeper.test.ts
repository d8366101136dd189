import { createSweeper, sweeperAges, unfinishedPayments } from '../../src/payments/sweeper';
import { initiate } from '../../src/payments/initiate';
import { getPaymentOrThrow } from '../../src/payments/payments';
import { storeNotification } from '../../src/payments/inbox';
import type { Database } from '../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { insertPayment } from '../store/rows';
import { fakeContext, fakeEngine, type FakeContext, type FakeEngine } from './fakes';

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
  const pendingSince = async (ms: number) => {
    const paymentId = await insertPayment(db);
    await initiate(context, paymentId);
    await db('payments')
      .where({ payment_id: paymentId })
      .update({ updated_at: ago(ms) });
    return paymentId;
  };

  it('leaves alone what is young', async () => {
    await insertPayment(db);
    await pendingSince(1_000);
    expect(await sweep()).toBe(0);
    expect(engine.woken).toEqual([]);
  });

  it('starts a payment whose process died before it could', async () => {
    const paymentId = await insertPayment(db, { updated_at: ago(sweeperAges.startAfterMs + 500) });
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([paymentId]);
    expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({ state: 'received' });
  });

  it('ends one that never started, and tells its merchant', async () => {
    const paymentId = await insertPayment(db, { updated_at: ago(sweeperAges.giveUpAfterMs + 1_000) });
    await sweep();
    expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({
      state: 'failed',
      failure_code: 'NOT_STARTED',
    });
    expect(await db('outbox').where({ payment_id: paymentId })).toHaveLength(1);
    // Woken all the same: its workflow delivers the webhook, and asks no provider for an ended payment.
    expect(engine.woken).toEqual([paymentId]);
    expect(await initiate(context, paymentId)).toMatchObject({ initiation: { answer: { kind: 'refused' } } });
    expect(context.provider.initiated).toEqual([]);
  });

  it('never ends a refund that waits for its turn, however long: it only looks at it again', async () => {
    const deposit = await insertPayment(db);
    await db('payments').update({ state: 'succeeded', is_final: 1 });
    const refund = await insertPayment(db, {
      kind: 'refund',
      parent_id: deposit,
      updated_at: ago(100 * sweeperAges.giveUpAfterMs),
    });
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([refund]);
    expect(await getPaymentOrThrow(db, refund)).toMatchObject({ state: 'received' });
  });

  it('nudges a payment again whose notification nobody has read', async () => {
    const paymentId = await pendingSince(0);
    await storeNotification(context, 'stk', '127.0.0.1', {
      kind: 'take',
      eventKey: 'event',
      payment: { payment_id: paymentId, workflow_id: `stk-push/${paymentId}` },
      body: '{"kind":"open"}',
      acknowledgement: { status: 200, body: {} },
    });
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

  it('looks at an open payment that nothing happened to', async () => {
    const paymentId = await pendingSince(sweeperAges.quietAfterMs + 1_000);
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([paymentId]);
  });

  it('leaves one alone for a while that it has just woken', async () => {
    await pendingSince(sweeperAges.quietAfterMs + 1_000);
    const sweeper = createSweeper(context, engine);
    expect([await sweeper.sweep(), await sweeper.sweep()]).toEqual([1, 0]);
  });

  it('wakes one that has been quiet for long ever more rarely, and forgets none of many', async () => {
    const month = 30 * 86_400_000;
    const ids = await Promise.all(Array.from({ length: 130 }, () => insertPayment(db)));
    await db('payments')
      .whereIn('payment_id', ids)
      .update({ state: 'pending', updated_at: ago(month) });
    const sweeper = createSweeper(context, engine);
    expect([await sweeper.sweep(), await sweeper.sweep(), await sweeper.sweep()]).toEqual([100, 30, 0]);
    expect([...engine.woken].sort()).toEqual([...ids].sort());
    // Minutes later they still rest; in three days each of them is looked at again.
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10 * 60_000);
    expect([await sweeper.sweep(), await sweeper.sweep()]).toEqual([0, 0]);
    now.mockReturnValue(Date.now() + month / 8);
    // Where a round has come to is remembered, so it need not begin with the oldest.
    expect((await sweeper.sweep()) + (await sweeper.sweep())).toBe(130);
    now.mockRestore();
  });

  it('wakes a payment once a round, for however many reasons', async () => {
    const paymentId = await pendingSince(sweeperAges.quietAfterMs + 1_000);
    await storeNotification(context, 'stk', '127.0.0.1', {
      kind: 'take',
      eventKey: 'event',
      payment: { payment_id: paymentId, workflow_id: `stk-push/${paymentId}` },
      body: '{"kind":"open"}',
      acknowledgement: { status: 200, body: {} },
    });
    await db('inbox').update({ received_at: ago(sweeperAges.noticeAfterMs + 500) });
    expect(await sweep()).toBe(1);
    expect(engine.woken).toEqual([paymentId]);
  });

  it('knows every payment that is not finished, or still owes its merchant a webhook', async () => {
    const open = await pendingSince(0);
    const owing = await insertPayment(db);
    context.provider.acceptances = [
      { kind: 'refused', publicCode: 'CUSTOMER_BUSY', providerCode: 'x', text: 'busy' },
    ];
    await initiate(context, owing);
    const done = await insertPayment(db);
    await initiate(context, done);
    await db('outbox').where({ payment_id: done }).update({ state: 'delivered' });
    expect((await unfinishedPayments(db)).map(({ payment_id: id }) => id).sort()).toEqual(
      [open, owing].sort(),
    );
  });
});
