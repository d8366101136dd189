import type { PaymentRow } from '../../../../src/store/tables';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf, ended } from '../../../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, customer, toldOf } from '../../../support/rails/cardproc/payment-story';

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
  /** Waits until the processor has answered a cancellation: a slow one may be sent twice, and is then refused. */
  const cancelled = ({ payment_id: id }: PaymentRow) =>
    waitFor(
      async () => {
        const tries = await stack.db('attempts').where({ payment_id: id, operation: 'cancel' });
        return tries.find(({ state }) => state === 'accepted' || state === 'refused');
      },
      { what: `order ${id} to be cancelled`, timeoutMs: 60_000 },
    );
  const isOver = (order: PaymentRow) =>
    expect(customer(provider, order, 'pay_card')).rejects.toThrow('cannot be paid any more');

  it('is cancelled at the processor, where it cannot be paid any more', async () => {
    const order = await accepted(stack, merchant);
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    expect((await cancelled(order)).detail).toContain('cancelled');
    await isOver(order);
  });

  it('though it failed before, and could have been tried again', async () => {
    const order = await accepted(stack, merchant);
    await customer(provider, order, 'fail');
    await becomes(order, 'failed');
    await engine.advance(order, dayMs);
    await cancelled(order);
    await isOver(order);
  });

  it('is credited where a telephone had asked the customer before', async () => {
    const order = await accepted(stack, merchant);
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    await cancelled(order);
    await customer(provider, order, 'pay_late');
    await becomes(order, 'succeeded');
    await atRest(stack.db, order.payment_id);
    expect(await toldOf(stack.db, order.payment_id)).toEqual(['INVALID', 'COMPLETED correction']);
    expect(await creditsOf(stack.db, order.payment_id)).toEqual([150_000n]);
  });

  it('is credited where it was being paid just then', async () => {
    const order = await accepted(stack, merchant, { amount: 100.07 });
    await provider.next({ call: 'callback', behave: 'drop' });
    await customer(provider, order, 'pay_card');
    await engine.advance(order, dayMs);
    await provider.advance(10_000);
    await engine.advance(order, dayMs / 2);
    await becomes(order, 'succeeded');
    expect(await creditsOf(stack.db, order.payment_id)).toEqual([10_007n]);
  });

  it('ends though the processor’s answer is lost, and is cancelled all the same', async () => {
    const order = await accepted(stack, merchant);
    await provider.next({ call: 'cancel', behave: 'act_then_drop' });
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    await engine.advance(order, dayMs / 2);
    expect((await cancelled(order)).state).toBe('refused');
    await isOver(order);
  });
});
