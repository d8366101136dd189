import { walletBalance } from '../../../../src/ledger/balances';
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf, ended, openCasesOf } from '../../../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, cardAccepted, customer, toldOf } from '../../../support/rails/cardproc/payment-story';
import { askForRefund } from './operator-calls';

const secondMs = 1_000;
const dayMs = 86_400_000;

describe('a hosted checkout that is reversed', () => {
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

  const order = () => accepted(stack, merchant);
  const current = ({ payment_id: id }: PaymentRow) => getPaymentOrThrow(stack.db, id);
  const becomes = ({ payment_id: id }: PaymentRow, state: PaymentRow['state']) =>
    ended(stack.db, id, [state]);
  const credits = ({ payment_id: id }: PaymentRow) => creditsOf(stack.db, id);
  const told = async ({ payment_id: id }: PaymentRow) => {
    await atRest(stack.db, id);
    return toldOf(stack.db, id);
  };
  /** Waits until no workflow of it is open. */
  const over = ({ workflow_id: id }: PaymentRow) => engine.client.workflow.getHandle(id).result();

  it('11 by the bank: debited once, below zero, for a person to see', async () => {
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
    await provider.tell('notifications', { order_tracking_id: payment.provider_reference });
    expect(await told(payment)).toEqual(['COMPLETED', 'REVERSED']);
    expect(await credits(payment)).toHaveLength(2);
  });

  it('11 before we knew that it was paid: credited and debited, so that the books tell both', async () => {
    const payment = await cardAccepted(stack, merchant, { amount: 100.06 });
    await customer(provider, payment, 'pay_card');
    await customer(provider, payment, 'reverse');
    await engine.advance(payment, 60 * secondMs);
    await becomes(payment, 'reversed');
    expect(await credits(payment)).toEqual([10_006n, -10_006n]);
    expect(await told(payment)).toEqual([]);
  });

  it.each([1, 7, 30])('11 without a word: found by looking again after %i days', async (days) => {
    const payment = await order();
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    await told(payment);
    await over(payment);
    await provider.next({ call: 'callback', behave: 'drop' });
    await customer(provider, payment, 'reverse');
    await engine.advance(payment, days * dayMs);
    await becomes(payment, 'reversed');
    expect(await told(payment)).toEqual(['COMPLETED', 'REVERSED']);
    expect(await credits(payment)).toEqual([150_000n, -150_000n]);
    await over(payment);
  });

  it('11 with a word, though its workflow has ended with its last webhook: taken up again', async () => {
    const payment = await order();
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    await told(payment);
    await over(payment);
    await customer(provider, payment, 'reverse');
    await becomes(payment, 'reversed');
    expect(await told(payment)).toEqual(['COMPLETED', 'REVERSED']);
    await over(payment);
  });

  it('12 a refund that goes through comes back as a reversal, and a refused one changes nothing', async () => {
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
