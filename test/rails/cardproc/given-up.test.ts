import type { PaymentRow } from '../../../src/store/tables';
import { waitFor } from '../../../src/ops/services/wait-for';
import { expectClean } from '../../support/expect-clean';
import { atRest, creditsOf, ended } from '../../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { connectEngine, type TestEngine } from '../../workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../simulator-control';
import { accepted, customer, toldOf } from './payment-story';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What was given up stays payable at the processor until it is cancelled there. */
describe('a hosted checkout that nobody has paid in a day', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'cardproc');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean(stack);
    await stack.stop();
  });

  const becomes = ({ payment_id: id }: PaymentRow, state: PaymentRow['state']) =>
    ended(stack.db, id, [state]);
  /** Waits until so many cancellations are answered. @returns what became of each. */
  const cancellations = ({ payment_id: id }: PaymentRow, count: number) =>
    waitFor(
      async () => {
        const rows = await stack.db('attempts').where({ payment_id: id, operation: 'cancel' }).orderBy('n');
        const isDone = rows.length >= count && rows.every(({ state }) => state !== 'sent');
        return isDone ? rows.map(({ state, detail }) => [state, detail]) : undefined;
      },
      { what: `${String(count)} cancellations of order ${id}`, timeoutMs: 30_000 },
    );
  const taken = ['accepted', 'Order successfully cancelled.'];
  const refused = ['refused', 'status_500: Order could not be cancelled.'];

  it('is cancelled at the processor, where it cannot be paid any more', async () => {
    const order = await accepted(stack, merchant);
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    expect(await cancellations(order, 1)).toEqual([taken]);
    await expect(customer(provider, order, 'pay_card')).rejects.toThrow('cannot be paid any more');
  });

  it('though it failed before, and could have been tried again', async () => {
    const order = await accepted(stack, merchant);
    await customer(provider, order, 'fail');
    await becomes(order, 'failed');
    await engine.advance(order, dayMs);
    expect(await cancellations(order, 1)).toEqual([taken]);
    await expect(customer(provider, order, 'pay_card')).rejects.toThrow('cannot be paid any more');
  });

  it('is credited where a telephone had asked the customer before', async () => {
    const order = await accepted(stack, merchant);
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    await customer(provider, order, 'pay_late');
    await becomes(order, 'succeeded');
    await atRest(stack.db, order.payment_id);
    expect(await toldOf(stack.db, order.payment_id)).toEqual(['INVALID', 'COMPLETED correction']);
    expect(await creditsOf(stack.db, order.payment_id)).toEqual([150_000n]);
  });

  it('is credited where it was being paid, and therefore not cancelled', async () => {
    const order = await accepted(stack, merchant, { amount: 100.07 });
    await provider.next({ call: 'callback', behave: 'drop' });
    await customer(provider, order, 'pay_card');
    await engine.advance(order, dayMs);
    expect(await cancellations(order, 1)).toEqual([refused]);
    await provider.advance(10_000);
    await engine.advance(order, dayMs / 2);
    await becomes(order, 'succeeded');
    expect(await creditsOf(stack.db, order.payment_id)).toEqual([10_007n]);
  });

  it('ends without the processor’s answer, and is cancelled in a later look', async () => {
    const order = await accepted(stack, merchant);
    await provider.next({ call: 'cancel', behave: 'act_then_drop', times: 1 });
    await provider.next({ call: 'cancel', behave: '503', times: 1 });
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    expect((await cancellations(order, 2)).map(([state]) => state)).toEqual(['unknown', 'unknown']);
    await engine.advance(order, dayMs / 2);
    expect((await cancellations(order, 3)).at(-1)).toEqual(refused);
    await expect(customer(provider, order, 'pay_card')).rejects.toThrow('cannot be paid any more');
  });
});
