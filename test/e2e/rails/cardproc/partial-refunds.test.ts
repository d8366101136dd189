import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { caseOpened, creditsOf, ended, openCasesOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, customer, notifiedOf } from '../../../support/rails/cardproc/payments';
import { askForRefund } from './operator-calls';

/** The processor does not report partial refunds, so nothing is booked automatically. */
describe('a card payment with a partial refund at the processor', () => {
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
    // The processor's books have the parts, which an operator must book here.
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  async function partlyRefunded(shownAs: string) {
    await provider.notify('refunds', { parts_are_shown_as: shownAs });
    const payment = await accepted(stack, merchant);
    await customer(provider, payment, 'pay_card');
    const { details } = await ended(stack.db, payment.payment_id, ['succeeded']);
    await askForRefund(stack, details.confirmation_code ?? '', 500);
    await provider.advance(5_000);
    return payment;
  }

  it.each(['remainder', 'part'])('reported by its %s opens a case, and debits nothing', async (shownAs) => {
    const { payment_id: id } = await partlyRefunded(shownAs);
    expect(await caseOpened(stack.db, id)).toEqual(['refund_unclear']);
    expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({
      state: 'succeeded',
      returned_minor: '0',
    });
    expect([await creditsOf(stack.db, id), await notifiedOf(stack.db, id)]).toEqual([
      [150_000n],
      ['COMPLETED'],
    ]);
  });

  it('opens one case, and closing it settles it', async () => {
    const payment = await partlyRefunded('remainder');
    await caseOpened(stack.db, payment.payment_id);
    const closed = { closed_at: new Date(), closed_by: 'test', resolution: 'taken by hand', open_key: null };
    await stack.db('cases').where({ payment_id: payment.payment_id }).update(closed);
    await engine.checkNow(payment);
    expect(await openCasesOf(stack.db, payment.payment_id)).toEqual([]);
  });

  it('that nothing shows leaves the payment unchanged', async () => {
    const payment = await partlyRefunded('completed');
    await engine.checkNow(payment);
    expect(await openCasesOf(stack.db, payment.payment_id)).toEqual([]);
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([150_000n]);
  });
});
