/** An attacker with orders, who reports changes of them again and again. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { PaymentRow } from '../../../src/store/tables';
import { accepted, comeBack, listenPath, referenceOf } from '../../support/rails/cardproc/payments';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { expectClean } from '../../support/expect-clean';
import { call, stkPush } from '../../support/merchant-client';
import { ended } from '../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { connectEngine, type TestEngine } from '../../support/workflows/temporal-client';

describe('repeated unverified notifications', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1, env: { MALIPO_BACKLOG_MAX_MS: '5000' } });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'cardproc');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean(stack);
    await stack.stop();
  });

  const unreported = () => accepted(stack, merchant, { amount: 100.06 });
  const unverified = (order: PaymentRow) =>
    fetch(`${stack.apiUrl}${listenPath}?${referenceOf(order).toString()}`, { method: 'POST' });
  const inboxOf = ({ payment_id }: PaymentRow) => stack.db('inbox').where({ payment_id });
  /** Nothing that is due for a status check is unread. */
  const allFollowed = () =>
    waitFor(
      async () =>
        (await stack
          .db('inbox')
          .where({ state: 'new' })
          .whereNull('processed_at')
          .where('follow_at', '<=', new Date())
          .first()) === undefined,
      { what: 'the unverified events to be checked', timeoutMs: 60_000 },
    );

  it('about fifty orders create few rows and few queries, and each call with keys is accepted', async () => {
    const orders: PaymentRow[] = [];
    for (let n = 0; n < 10; n += 1) orders.push(...(await Promise.all([1, 2, 3, 4, 5].map(unreported))));
    const statuses: number[] = [];
    const begunAt = Date.now();
    for (let window = 0; window < 10; window += 1) {
      await Promise.all([...orders.map(unverified), ...orders.map((order) => comeBack(stack, order))]);
      const keyed = await call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush());
      statuses.push(keyed.status);
      await allFollowed();
      // The next window, five seconds later.
      await stack
        .db('inbox')
        .whereNotNull('follow_at')
        .update({
          received_at: stack.db.raw('received_at - INTERVAL 5 SECOND'),
          follow_at: stack.db.raw('follow_at - INTERVAL 5 SECOND'),
        });
    }
    expect(statuses).toEqual(Array<number>(10).fill(200));
    // Three at once; then after 10, 20, 40 seconds and so on; one may have been read early.
    const seconds = 10 * 5 + (Date.now() - begunAt) / 1_000;
    const rowsMax = 3 + Math.ceil(Math.log2(seconds / 10 + 1)) + 1;
    for (const order of orders) expect((await inboxOf(order)).length).toBeLessThanOrEqual(rowsMax);
    // For each order: those, five during the first checks, the scheduled ones, and those that timed out.
    expect((await provider.exchanges('query')).length).toBeLessThanOrEqual(50 * (rowsMax + 5 + 4));
  });

  it('about a finished order start three runs of its workflow at once, and not one for each', async () => {
    const order = await unreported();
    await engine.advance(order, 4 * 86_400_000);
    await ended(stack.db, order.payment_id, ['timed_out']);
    const newestRun = () => engine.client.workflow.getHandle(order.workflow_id).describe();
    await waitFor(async () => (await newestRun()).status.name === 'COMPLETED', {
      what: 'the watch to end',
      timeoutMs: 30_000,
    });
    const runs = new Set([(await newestRun()).runId]);
    for (let n = 0; n < 12; n += 1) {
      expect((await unverified(order)).status).toBe(200);
      await allFollowed();
      runs.add((await newestRun()).runId);
    }
    expect((await inboxOf(order)).length).toBeLessThanOrEqual(5);
    expect(runs.size).toBeLessThanOrEqual(5);
  });
});
