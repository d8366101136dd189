import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { accepted } from '../../../support/rails/stk/payments';
import { insertOpenPayments } from '../../../support/store/rows';
import { startStack, type Stack } from '../../../support/stack';

const many = 100_000;
const due = 5;
const watchedMs = 10_000;

/** An idle open payment costs nothing: Temporal's own metric counts the worker's tasks. */
describe(`a worker with ${many.toLocaleString('en')} open payments`, () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    await insertOpenPayments(stack.db, many);
  });
  afterAll(() => stack.stop());

  async function tasksTaken(): Promise<number> {
    const response = await fetch(`http://${stack.env['MALIPO_WORKER_METRICS'] ?? ''}/metrics`);
    const counters = (await response.text()).matchAll(
      /^temporal_workflow_task_queue_poll_succeed_total\{[^}]*\} (\d+)$/gm,
    );
    return [...counters].reduce((sum, [, count]) => sum + Number(count), 0);
  }
  const becomes = (what: string, wanted: (tasks: number) => boolean) =>
    waitFor(async () => wanted(await tasksTaken()), { what, timeoutMs: 60_000 });

  it('takes no workflow task in ten seconds, which are five rounds of its sweeper', async () => {
    const before = await tasksTaken();
    await delay(watchedMs);
    expect((await tasksTaken()) - before).toBe(0);
  });

  it('takes the tasks of the due payments, and no others', async () => {
    const before = await tasksTaken();
    const chosen = await stack.db('payments').limit(due).pluck('payment_id');
    await stack
      .db('payments')
      .whereIn('payment_id', chosen)
      .update({ next_check_at: new Date(Date.now() - 1_000) });
    await becomes('the due ones to be woken', (tasks) => tasks >= before + due);
    const signalled = await stack.db('payments').whereNotNull('signalled_at').pluck('payment_id');
    expect(signalled.sort()).toEqual(chosen.sort());
    // A restarted workflow takes a few tasks for its first check.
    expect((await tasksTaken()) - before).toBeLessThanOrEqual(10 * due);
  });

  it('takes the tasks of a new payment', async () => {
    const before = await tasksTaken();
    await accepted(stack, await stack.createMerchant());
    await becomes('the new one to be asked for', (tasks) => tasks > before);
  });
});
