import { walletBalance } from '../../../../src/ledger/balances';
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf, ended, openCasesOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, cardAccepted, customer, notifiedOf } from '../../../support/rails/cardproc/payments';
import { askForRefund } from './operator-calls';

const secondMs = 1_000;
const dayMs = 86_400_000;

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

const becomes = ({ payment_id: id }: PaymentRow, state: PaymentRow['state']) => ended(stack.db, id, [state]);

describe('a hosted checkout that is reversed', () => {
  const order = () => accepted(stack, merchant);
  const current = ({ payment_id: id }: PaymentRow) => getPaymentOrThrow(stack.db, id);
  const credits = ({ payment_id: id }: PaymentRow) => creditsOf(stack.db, id);
  const reported = async ({ payment_id: id }: PaymentRow) => {
    await atRest(stack.db, id);
    return notifiedOf(stack.db, id);
  };
  /** Waits until it has no open workflow. */
  const over = ({ workflow_id: id }: PaymentRow) => engine.client.workflow.getHandle(id).result();

  it('11 by the bank: debited once, below zero, with a case for an operator', async () => {
    const indebted = await stack.createMerchant();
    const payment = await accepted(stack, indebted);
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    const wallet = { class: 'wallet', merchantId: indebted.merchantId, currency: 'KES' } as const;
    const float = { ...wallet, class: 'float', rail: 'momo', country: 'KEN' } as const;
    const spent = { amountMinor: 120_000n, reason: 'spent', whenShort: 'BALANCE_INSUFFICIENT' } as const;
    await transferByHand(stack.db, { from: wallet, to: float, ...spent });
    await customer(provider, payment, 'reverse');
    await becomes(payment, 'reversed');
    expect(await credits(payment)).toEqual([150_000n, -150_000n]);
    expect(await walletBalance(stack.db, indebted.merchantId, 'KES')).toBe(-120_000n);
    expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['reversed']);
    await provider.notify('notifications', { order_tracking_id: payment.provider_reference });
    expect(await reported(payment)).toEqual(['COMPLETED', 'REVERSED']);
    expect(await credits(payment)).toHaveLength(2);
  });

  it('11 before we knew the payment: credited and debited, both visible in the books', async () => {
    const payment = await cardAccepted(stack, merchant, { amount: 100.06 });
    await customer(provider, payment, 'pay_card');
    await customer(provider, payment, 'reverse');
    await engine.advance(payment, 60 * secondMs);
    await becomes(payment, 'reversed');
    expect(await credits(payment)).toEqual([10_006n, -10_006n]);
    expect(await reported(payment)).toEqual([]);
  });

  it.each([1, 7, 30])('11 without a notification: found by a check after %i days', async (days) => {
    const payment = await order();
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    await reported(payment);
    await over(payment);
    await provider.next({ call: 'callback', behave: 'drop' });
    await customer(provider, payment, 'reverse');
    await engine.advance(payment, days * dayMs);
    await becomes(payment, 'reversed');
    expect(await reported(payment)).toEqual(['COMPLETED', 'REVERSED']);
    expect(await credits(payment)).toEqual([150_000n, -150_000n]);
    await over(payment);
  });

  it('11 with a notification, although its workflow has ended with its last webhook: resumed', async () => {
    const payment = await order();
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    await reported(payment);
    await over(payment);
    await customer(provider, payment, 'reverse');
    await becomes(payment, 'reversed');
    expect(await reported(payment)).toEqual(['COMPLETED', 'REVERSED']);
    await over(payment);
  });

  it('12 a successful refund shows as a reversal, and a rejected one changes nothing', async () => {
    const payment = await order();
    await customer(provider, payment, 'pay_card');
    const { details } = await becomes(payment, 'succeeded');
    const refund = (amount: number) => askForRefund(stack, details.confirmation_code ?? '', amount);
    expect(await refund(2_000)).toMatchObject({ status: 500 });
    expect(await refund(1_500)).toMatchObject({ status: 200 });
    expect((await current(payment)).state).toBe('succeeded');
    await provider.advance(5 * secondMs);
    await becomes(payment, 'reversed');
    expect(await refund(1_500)).toMatchObject({ status: 500 });
    expect(await credits(payment)).toEqual([150_000n, -150_000n]);
  });
});

/** An expired order can still be paid until it is cancelled at the processor. */
describe('a hosted checkout that is unpaid after a day', () => {
  /** Waits until the processor has answered a cancellation: a slow one may be sent twice, and is then rejected. */
  const cancelled = ({ payment_id: id }: PaymentRow) =>
    waitFor(
      async () => {
        const tries = await stack.db('attempts').where({ payment_id: id, operation: 'cancel' });
        return tries.find(({ state }) => state === 'accepted' || state === 'refused');
      },
      { what: `order ${id} to be cancelled`, timeoutMs: 60_000 },
    );
  const isOver = (order: PaymentRow) =>
    expect(customer(provider, order, 'pay_card')).rejects.toThrow('can no longer be paid');

  it('is cancelled at the processor, and can no longer be paid', async () => {
    const order = await accepted(stack, merchant);
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    expect((await cancelled(order)).detail).toContain('cancelled');
    await isOver(order);
  });

  it('although it failed before, and could have been retried', async () => {
    const order = await accepted(stack, merchant);
    await customer(provider, order, 'fail');
    await becomes(order, 'failed');
    await engine.advance(order, dayMs);
    await cancelled(order);
    await isOver(order);
  });

  it('is credited if the customer already had a prompt', async () => {
    const order = await accepted(stack, merchant);
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    await cancelled(order);
    await customer(provider, order, 'pay_late');
    await becomes(order, 'succeeded');
    await atRest(stack.db, order.payment_id);
    expect(await notifiedOf(stack.db, order.payment_id)).toEqual(['INVALID', 'COMPLETED correction']);
    expect(await creditsOf(stack.db, order.payment_id)).toEqual([150_000n]);
  });

  it('is credited if it was just being paid', async () => {
    const order = await accepted(stack, merchant, { amount: 100.07 });
    await provider.next({ call: 'callback', behave: 'drop' });
    await customer(provider, order, 'pay_card');
    await engine.advance(order, dayMs);
    await provider.advance(10_000);
    await engine.advance(order, dayMs / 2);
    await becomes(order, 'succeeded');
    expect(await creditsOf(stack.db, order.payment_id)).toEqual([10_007n]);
  });

  it('ends although the processor’s answer is lost, and is cancelled all the same', async () => {
    const order = await accepted(stack, merchant);
    await provider.next({ call: 'cancel', behave: 'act_then_drop' });
    await engine.advance(order, dayMs);
    await becomes(order, 'timed_out');
    await engine.advance(order, dayMs / 2);
    expect((await cancelled(order)).state).toBe('refused');
    await isOver(order);
  });
});
