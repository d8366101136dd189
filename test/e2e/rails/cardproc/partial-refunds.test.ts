import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { caseOpened, creditsOf, ended, openCasesOf } from '../../../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, customer, toldOf } from '../../../support/rails/cardproc/payment-story';
import { askForRefund } from './operator-calls';

/** The processor has no word for a part that went back, so that nothing is booked by itself. */
describe('a card payment of which a part was refunded at the processor', () => {
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
    // The processor's books have the parts, which are a person's to book here.
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  async function partlyRefunded(shownAs: string) {
    await provider.tell('refunds', { parts_are_shown_as: shownAs });
    const payment = await accepted(stack, merchant);
    await customer(provider, payment, 'pay_card');
    const { details } = await ended(stack.db, payment.payment_id, ['succeeded']);
    await askForRefund(stack, details.confirmation_code ?? '', 500);
    await provider.advance(5_000);
    return payment;
  }

  it.each(['remainder', 'part'])(
    'shown by its %s is a case, and debits nothing by guess',
    async (shownAs) => {
      const { payment_id: id } = await partlyRefunded(shownAs);
      expect(await caseOpened(stack.db, id)).toEqual(['given_back_unclear']);
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({
        state: 'succeeded',
        given_back_minor: '0',
      });
      expect([await creditsOf(stack.db, id), await toldOf(stack.db, id)]).toEqual([
        [150_000n],
        ['COMPLETED'],
      ]);
    },
  );

  it('is one case, whose closing is the end of it', async () => {
    const payment = await partlyRefunded('remainder');
    await caseOpened(stack.db, payment.payment_id);
    const closed = { closed_at: new Date(), closed_by: 'test', resolution: 'taken by hand', open_key: null };
    await stack.db('cases').where({ payment_id: payment.payment_id }).update(closed);
    await engine.checkNow(payment);
    expect(await openCasesOf(stack.db, payment.payment_id)).toEqual([]);
  });

  it('that nothing shows leaves the payment as it is', async () => {
    const payment = await partlyRefunded('completed');
    await engine.checkNow(payment);
    expect(await openCasesOf(stack.db, payment.payment_id)).toEqual([]);
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([150_000n]);
  });
});
