import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { paymentIdOf, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { verifySignature, type ReceivedWebhook } from '../../../support/webhook-receiver';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { atRest, balanceOf, creditsOf, openCasesOf, push } from '../../../support/rails/stk/payments';
import { scenarios, type Scenario } from './scenarios';
import { fieldsOfEveryWebhook } from '../../../support/webhook-fields';

interface Begun {
  merchant: TestMerchant;
  answer: ApiAnswer;
}

/** All scenarios run concurrently, each with a merchant of its own; each test then checks one. */
describe('STK push, from the request to the books', () => {
  let stack: Stack;
  let provider: SimulatorControl;
  let begun: Map<Scenario, Begun>;
  const paidLate = new Map<Scenario, Promise<void>>();
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    begun = new Map(
      await Promise.all(scenarios.map(async (scenario) => [scenario, await begin(scenario)] as const)),
    );
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  async function begin({ phone, rules = [] }: Scenario): Promise<Begun> {
    const merchant = await stack.createMerchant();
    for (const rule of rules) await provider.next(rule);
    return {
      merchant,
      answer: await push(stack, merchant, { phone_number: phone, order_id: `order of ${phone}` }),
    };
  }

  function begunOf(scenario: Scenario): Begun {
    const found = begun.get(scenario);
    if (!found) throw new Error(`scenario ${scenario.number} was not begun`);
    return found;
  }

  /** Every callback of the scenario was sent and answered, and every webhook of it has arrived. */
  async function over(scenario: Scenario, { merchant, answer }: Begun): Promise<PaymentRow> {
    const { callback_token: token } = await getPaymentOrThrow(stack.db, paymentIdOf(answer));
    const callbacks = scenario.callbacks ?? 1;
    if (scenario.paidLate) await payLate(scenario);
    await waitFor(async () => (await callbacksAbout(scenario.phone, token ?? '')).length >= callbacks, {
      what: `${String(callbacks)} callbacks`,
      timeoutMs: 40_000,
    });
    await waitFor(() => Promise.resolve(merchant.receiver.received.length >= scenario.webhooks.length), {
      what: `${String(scenario.webhooks.length)} webhooks`,
      timeoutMs: 40_000,
    });
    await atRest(stack.db, paymentIdOf(answer));
    return getPaymentOrThrow(stack.db, paymentIdOf(answer));
  }

  /** Only once, by whichever test comes first. */
  function payLate(scenario: Scenario): Promise<void> {
    const { merchant, answer } = begunOf(scenario);
    const paying = paidLate.get(scenario) ?? payOnceNotified(merchant, answer);
    paidLate.set(scenario, paying);
    return paying;
  }

  async function payOnceNotified({ receiver }: TestMerchant, answer: ApiAnswer): Promise<void> {
    await waitFor(() => Promise.resolve(receiver.received.length > 0), {
      what: 'the webhook that says unpaid',
      timeoutMs: 40_000,
    });
    const { provider_reference: prompt } = await getPaymentOrThrow(stack.db, paymentIdOf(answer));
    await provider.decide(prompt ?? '', 'pay_late');
  }

  /** Forged ones have another path, and are known by the payer's number. */
  async function callbacksAbout(phone: string, token: string) {
    return (await provider.exchanges('callback')).filter(
      ({ url, body, answer }) =>
        answer?.status !== undefined &&
        (url.endsWith(token) || JSON.stringify(body).includes(phone.slice(3))),
    );
  }

  describe.each(scenarios.map((scenario) => [scenario.number, scenario.title, scenario] as const))(
    '%s %s',
    (_number, _title, scenario) => {
      it('is answered', () => {
        const { answer } = begunOf(scenario);
        expect([answer.status, answer.body.code]).toEqual([
          scenario.answer?.status ?? 200,
          scenario.answer?.code,
        ]);
      });

      it('is notified, once for each outcome, and signed', async () => {
        const { merchant, answer } = begunOf(scenario);
        await over(scenario, begunOf(scenario));
        const received: ReceivedWebhook[] = merchant.receiver.received;
        expect(received).toHaveLength(scenario.webhooks.length);
        scenario.webhooks.forEach((expected, index) => {
          const { body } = received[index] ?? {};
          expect(body).toMatchObject({
            ...expected,
            payment_id: paymentIdOf(answer),
            order_id: `order of ${scenario.phone}`,
          });
          expect(body?.correction).toBe(expected.correction);
        });
        for (const webhook of received) {
          verifySignature(webhook, merchant.webhookSecret);
          expect(webhook.headers).toMatchObject({
            'x-callback-type': 'STK-Push',
            'content-type': 'application/json',
          });
        }
        expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length);
      });

      it('is booked', async () => {
        const { merchant } = begunOf(scenario);
        const payment = await over(scenario, begunOf(scenario));
        const balance = scenario.balance ?? 0;
        expect(await creditsOf(stack.db, payment.payment_id)).toEqual(
          balance === 0 ? [] : [BigInt(balance * 100)],
        );
        expect(await balanceOf(stack, merchant)).toBe(balance);
        expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(scenario.cases ?? []);
      });
    },
  );

  it('a webhook has exactly the specified fields and the next step', () => {
    const success = begunOf(scenarios[0] as Scenario).merchant.receiver.received[0];
    expect(success?.body).toEqual({
      ...fieldsOfEveryWebhook,
      payment_id: expect.any(String),
      merchant_request_id: expect.stringMatching(/^\d+-\d+-\d+$/),
      checkout_request_id: expect.stringMatching(/^ws_CO_\d+$/),
      status: 'Success',
      result_code: '0',
      result_description: 'The service request is processed successfully.',
      initial_amount: 1250,
      asked_amount: 1250,
      actual_amount: 1250,
      mm_receipt_number: expect.stringMatching(/^[A-Z0-9]{10}$/),
      transaction_date: expect.stringMatching(/^\d{14}$/),
      transaction_date_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      phone_number: '254708374149',
      payer_phone: '254708374149',
      payer_name: '',
      account_reference: expect.stringMatching(/^INV/),
      order_id: 'order of 254708374149',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('forged callbacks had no effect: rejected, or stored when they arrived before our own reference', async () => {
    const scenario = scenarios.find(({ number }) => number === '18') as Scenario;
    const { payment_id: paymentId, callback_token: token } = await getPaymentOrThrow(
      stack.db,
      paymentIdOf(begunOf(scenario).answer),
    );
    const sent = await callbacksAbout(scenario.phone, token ?? '');
    expect(sent.map(({ fault, answer }) => [fault, answer?.status])).toEqual([
      ['forge', 404],
      ['forge', expect.any(Number)],
      [undefined, 200],
    ]);
    const forged = await stack.db('inbox').where({ payment_id: paymentId }).where('body', 'like', '%FORGED%');
    for (const { state } of forged) expect(state).toBe('ignored');
  });
});
