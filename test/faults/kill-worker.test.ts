/** One kill -9 of the worker while a payment stands at each step of its life, and what became of every one. */
import type { ServerResponse } from 'node:http';
import { waitFor } from '../../src/ops/services/wait-for';
import { getPaymentOrThrow } from '../../src/payments/payments';
import type { PaymentRow } from '../../src/store/tables';
import { simulatorControl, type SimulatorControl } from '../rails/simulator-control';
import { accepted, creditsOf, push } from '../rails/stk/payment-story';
import { paymentIdOf, type ApiAnswer } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { lockRow } from './support/row-lock';

jest.setTimeout(180_000);

/** Payers by the step at which their payment is caught. Numbers ending in 600 wait for a person. */
const payers = {
  notBegun: '254711000001',
  neverAnswered: '254711000002',
  answerOnItsWay: '254711000003',
  reportedWhileDown: '254711001600',
  confirming: '254711000004',
  booking: '254711002600',
  beingTold: '254711000005',
  told: '254711000006',
};
type Step = keyof typeof payers;

describe('kill -9 of the worker, with a payment at each step', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let slowMerchant: TestMerchant;
  let provider: SimulatorControl;
  const payments: Partial<Record<Step, PaymentRow>> = {};
  const answers: ApiAnswer[] = [];

  const at = (step: Step): Promise<PaymentRow> =>
    getPaymentOrThrow(stack.db, payments[step]?.payment_id ?? '');

  /** Waits until the row is there, whoever else is still waiting for its acceptance. */
  function written(step: Step): Promise<PaymentRow> {
    return waitFor(() => stack.db('payments').where({ phone_number: payers[step] }).first(), {
      what: `the row of ${step}`,
      timeoutMs: 20_000,
    });
  }

  /** Pushes without waiting for the answer, which comes after the fault. */
  async function begin(step: Step): Promise<{ answer: Promise<ApiAnswer> }> {
    const answer = push(stack, merchant, { phone_number: payers[step] });
    payments[step] = await written(step);
    return { answer };
  }

  function asked(call: string, paymentOf: Step): Promise<true> {
    const { provider_reference: reference, callback_token: token } = payments[paymentOf] ?? {};
    return waitFor(
      async () => {
        const exchanges = JSON.stringify(await provider.exchanges(call));
        return exchanges.includes(reference ?? String(token)) || undefined;
      },
      { what: `the ${call} of ${paymentOf}`, timeoutMs: 20_000 },
    );
  }

  function answerOk({ receiver }: TestMerchant): void {
    receiver.answerWith((_request, response) => response.end('ok'));
  }

  function reported(step: Step): Promise<unknown> {
    const id = payments[step]?.payment_id ?? '';
    return waitFor(() => stack.db('inbox').where({ payment_id: id }).first('inbox_id'), {
      what: `the callback of ${step}`,
      timeoutMs: 20_000,
    });
  }

  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    slowMerchant = await stack.createMerchant('Slow Shop');
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    const held: ServerResponse[] = [];
    const locks: (() => Promise<void>)[] = [];
    slowMerchant.receiver.answerWith((_request, response) => held.push(response));

    payments.beingTold = await accepted(stack, slowMerchant, { phone_number: payers.beingTold });
    await waitFor(async () => held.length > 0, { what: 'the held webhook', timeoutMs: 20_000 });

    payments.told = await accepted(stack, merchant, { phone_number: payers.told });
    const answered = new Promise<void>((resolve) => {
      merchant.receiver.answerWith((_request, response) => {
        answerOk(merchant);
        void lockRow(stack.db, 'outbox', { payment_id: payments.told?.payment_id ?? '' }).then((unlock) => {
          locks.push(unlock);
          response.end('ok', resolve);
        });
      });
    });
    await answered;

    await provider.next({ call: 'initiate', behave: 'hang', where: { phone_number: payers.neverAnswered } });
    await provider.next({
      call: 'initiate',
      behave: 'delay',
      ms: 60_000,
      where: { phone_number: payers.answerOnItsWay },
    });
    const waiting = [await begin('neverAnswered'), await begin('answerOnItsWay')];
    await asked('initiate', 'neverAnswered');
    await reported('answerOnItsWay');

    payments.reportedWhileDown = await accepted(stack, merchant, { phone_number: payers.reportedWhileDown });
    payments.booking = await accepted(stack, merchant, { phone_number: payers.booking });
    locks.push(await lockRow(stack.db, 'payments', { payment_id: payments.booking.payment_id }));
    await provider.decide(payments.booking.provider_reference ?? '', 'pay');
    await asked('query', 'booking');

    await provider.next({
      call: 'query',
      behave: 'hang',
      times: 2,
      where: { phone_number: payers.confirming },
    });
    payments.confirming = await accepted(stack, merchant, { phone_number: payers.confirming });
    await asked('query', 'confirming');

    await stack.kill('worker');
    for (const unlock of locks) await unlock();
    answerOk(slowMerchant);
    await provider.decide(payments.reportedWhileDown.provider_reference ?? '', 'pay');
    await reported('reportedWhileDown');
    waiting.push(await begin('notBegun'));

    await stack.start('worker');
    answers.push(...(await Promise.all(waiting.map(({ answer }) => answer))));
    await everythingEndsWell(stack, {
      merchants: [merchant, slowMerchant],
      accepted: answers.map(paymentIdOf),
    });
  });
  afterAll(() => stack.stop());

  it.each<Step>([
    'notBegun',
    'answerOnItsWay',
    'reportedWhileDown',
    'confirming',
    'booking',
    'beingTold',
    'told',
  ])('credits the payment caught at "%s" exactly once', async (step) => {
    expect((await at(step)).state).toBe('succeeded');
    expect(await creditsOf(stack.db, payments[step]?.payment_id ?? '')).toEqual([125_000n]);
  });

  it('answers every merchant who was waiting as accepted', () => {
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('takes an instruction that was never answered for unknown, and does not send it again', async () => {
    const payment = await at('neverAnswered');
    expect(payment).toMatchObject({ state: 'timed_out', failure_code: 'OUTCOME_UNKNOWN' });
    const attempts = await stack.db('attempts').where({ payment_id: payment.payment_id });
    expect(attempts.map(({ n, state }) => ({ n, state }))).toEqual([{ n: 1, state: 'unknown' }]);
  });

  it.each<Step>(['beingTold', 'told'])(
    'tells the merchant again, under the same webhook id, when caught at "%s"',
    async (step) => {
      const id = payments[step]?.payment_id;
      const { receiver } = step === 'told' ? merchant : slowMerchant;
      const copies = receiver.received.filter(({ body }) => body['payment_id'] === id);
      expect(copies.length).toBeGreaterThanOrEqual(2);
      expect(new Set(copies.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    },
  );
});
