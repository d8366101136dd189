/** One kill -9 of the API while a payment stands at each step it has a part in, and what became of every one. */
import { waitFor } from '../../src/ops/services/wait-for';
import { findPayment } from '../../src/payments/payments';
import type { PaymentRow } from '../../src/store/tables';
import { simulatorControl, type SimulatorControl } from '../rails/simulator-control';
import { accepted, creditsOf } from '../rails/stk/payment-story';
import { testTemporalAddress } from '../support/services';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { pushUntilAccepted, type Pushed } from './support/patient-merchant';
import { startProxy, type Proxy } from './support/proxy';
import { lockRow } from './support/row-lock';

jest.setTimeout(120_000);

/** Payers by the step at which their payment is caught. Numbers ending in 600 wait for a person. */
const payers = {
  notWritten: '254712000001',
  notHandedOver: '254712000002',
  awaitingTheAnswer: '254712000003',
  reportLost: '254712001600',
  reportStored: '254712002600',
};
type Step = keyof typeof payers;

describe('kill -9 of the API, with a payment at each step', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let lockedMerchant: TestMerchant;
  let provider: SimulatorControl;
  let temporal: Proxy;
  const pushed: Partial<Record<Step, Pushed>> = {};

  const rowsOf = (step: Step): Promise<PaymentRow[]> =>
    Promise.resolve(stack.db('payments').where({ phone_number: payers[step] }));
  const row = (step: Step): Promise<PaymentRow> =>
    waitFor(async () => (await rowsOf(step))[0], { what: `the row of ${step}`, timeoutMs: 20_000 });

  beforeAll(async () => {
    temporal = await startProxy(testTemporalAddress());
    stack = await startStack({
      timeScale: 20,
      envOf: { api: { TEMPORAL_ADDRESS: temporal.via(testTemporalAddress()) } },
    });
    merchant = await stack.createMerchant();
    lockedMerchant = await stack.createMerchant('Shop Behind A Lock');
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    const begin = (step: Step, by = merchant): Promise<Pushed> =>
      pushUntilAccepted(stack, by, { phone_number: payers[step] }).then((done) => (pushed[step] = done));

    await accepted(stack, lockedMerchant);
    const bucket = `stk:${lockedMerchant.merchantId}`;
    const unlock = await lockRow(stack.db, 'rate_limit_buckets', { bucket });
    const waiting = [begin('notWritten', lockedMerchant)];

    const where = { phone_number: payers.awaitingTheAnswer };
    await provider.next({ call: 'initiate', behave: 'delay', ms: 2_000, where });
    waiting.push(begin('awaitingTheAnswer'));
    const reportLost = await accepted(stack, merchant, { phone_number: payers.reportLost });
    const reportStored = await accepted(stack, merchant, { phone_number: payers.reportStored });
    await row('awaitingTheAnswer');

    temporal.hold();
    waiting.push(begin('notHandedOver'));
    await row('notHandedOver');
    await provider.decide(reportStored.provider_reference ?? '', 'pay');
    await waitFor(() => stack.db('inbox').where({ payment_id: reportStored.payment_id }).first('inbox_id'), {
      what: 'the callback to be stored',
      timeoutMs: 20_000,
    });

    await stack.kill('api');
    temporal.release();
    await provider.decide(reportLost.provider_reference ?? '', 'pay');
    expect(await rowsOf('notWritten')).toEqual([]);
    await unlock();

    await stack.start('api');
    const accounted = await Promise.all(waiting);
    await everythingEndsWell(stack, {
      merchants: [merchant, lockedMerchant],
      accepted: [
        ...accounted.map(({ paymentId }) => paymentId),
        reportLost.payment_id,
        reportStored.payment_id,
      ],
    });
  });
  afterAll(async () => {
    await stack.stop();
    await temporal.close();
  });

  it.each(Object.keys(payers) as Step[])('credits the payment caught at "%s" exactly once', async (step) => {
    const [payment, ...others] = await rowsOf(step);
    expect(others).toEqual([]);
    expect(payment?.state).toBe('succeeded');
    expect(await creditsOf(stack.db, payment?.payment_id ?? '')).toEqual([125_000n]);
  });

  it.each<Step>(['notWritten', 'notHandedOver', 'awaitingTheAnswer'])(
    'gives the merchant who was cut off at "%s", and asks again under the same key, that one payment',
    async (step) => {
      expect(pushed[step]?.broken).toBeGreaterThan(0);
      expect((await findPayment(stack.db, pushed[step]?.paymentId ?? ''))?.phone_number).toBe(payers[step]);
    },
  );

  it('finds out by itself what a callback to the dead API would have told', async () => {
    const [payment] = await rowsOf('reportLost');
    const log = await stack
      .db('payment_log')
      .where({ payment_id: payment?.payment_id ?? '', to_state: 'succeeded' });
    expect(log.map(({ cause }) => cause)).toEqual(['query']);
  });
});
