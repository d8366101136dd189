import type { WorkflowStatus } from '../../../src/domain/commands';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import type { PaymentRow } from '../../../src/store/tables';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { accepted, atRest, creditsOf, ended, webhooksOf } from '../../support/rails/stk/payments';
import { expectClean } from '../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { connectEngine, type TestEngine } from '../../support/workflows/temporal-client';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const neverAnswers = '254700000703';
const answerLost = '254700000708';

/** The product's real durations, advanced as `malipo sandbox advance` does. */
describe('the timers of an STK payment', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const begin = (phone_number: string) => accepted(stack, merchant, { phone_number });
  const handleOf = ({ workflow_id: workflowId }: PaymentRow) => engine.client.workflow.getHandle(workflowId);
  const questionsAbout = async ({ provider_reference: reference }: PaymentRow) =>
    (await provider.exchanges('query')).filter(({ body }) => body.CheckoutRequestID === reference).length;
  const statusesOf = async ({ payment_id: paymentId }: PaymentRow) =>
    (await webhooksOf(stack.db, paymentId)).map(({ status, correction }) => [status, correction]);

  /** Moves the payment's clock, and waits for this total number of provider queries. */
  async function advance(payment: PaymentRow, ms: number, questions: number): Promise<void> {
    await engine.advance(payment, ms);
    await waitFor(async () => (await questionsAbout(payment)) === questions, {
      what: `${String(questions)} queries about ${payment.payment_id}`,
      timeoutMs: 20_000,
    });
  }

  it('query after 20, 35, 50, 65, 90, 120 and 180 s, and time the prompt out after 300 s', async () => {
    const payment = await begin(neverAnswers);
    // Each step stops a second before the next query; the test itself takes less than that.
    const schedule = [20, 35, 50, 65, 90, 120, 180].map((s) => s * second);
    let moved = 0;
    for (const [index, at] of schedule.entries()) {
      await advance(payment, at - moved, index + 1);
      moved = at;
      expect(await getPaymentOrThrow(stack.db, payment.payment_id)).toMatchObject({ state: 'pending' });
    }
    await advance(payment, 300 * second - moved, 8);
    expect(await ended(stack.db, payment.payment_id)).toMatchObject({
      state: 'timed_out',
      failure_code: 'OUTCOME_UNKNOWN',
      result_code: 'OUTCOME_UNKNOWN',
    });
    const [webhook] = await webhooksOf(stack.db, payment.payment_id);
    expect(webhook).toMatchObject({ status: 'Timeout', result_code: '1037', actual_amount: 0 });
  });

  it('time a prompt without an answer out after 180 s, without a query: there is no reference for one', async () => {
    const payment = await begin(answerLost);
    await engine.advance(payment, 170 * second);
    expect(await getPaymentOrThrow(stack.db, payment.payment_id)).toMatchObject({ state: 'pending' });
    await engine.advance(payment, 10 * second);
    expect(await ended(stack.db, payment.payment_id)).toMatchObject({ state: 'timed_out' });
    expect(await statusesOf(payment)).toEqual([['Timeout', undefined]]);
  });

  it('check again after 15 minutes and after a day, and stop watching after 72 hours', async () => {
    const payment = await begin(neverAnswers);
    // Missed checks are done once, and once more at the end of the wait.
    await advance(payment, 300 * second, 2);
    await ended(stack.db, payment.payment_id, ['timed_out']);
    await advance(payment, 15 * minute - 300 * second, 3);
    await advance(payment, 24 * hour - 15 * minute, 4);
    expect((await handleOf(payment).describe()).status.name).toBe('RUNNING');

    await engine.advance(payment, 48 * hour);
    expect(await handleOf(payment).result()).toMatchObject({ status: 'timed_out' });
    expect(await statusesOf(payment)).toEqual([['Timeout', undefined]]);
  });

  it.each([
    ['15 minutes', 15 * minute],
    ['a day', 24 * hour],
    ['72 hours', 72 * hour],
  ])('find a success that became known after %s, and correct the timeout', async (_when, at) => {
    const payment = await begin('254700000704');
    await provider.next({ call: 'callback', behave: 'drop', where: { phone_number: '254700000704' } });
    await provider.advance(61 * second);
    await engine.advance(payment, 300 * second);
    await ended(stack.db, payment.payment_id, ['timed_out']);
    await provider.advance(60 * second);
    await engine.advance(payment, at - 300 * second);
    await ended(stack.db, payment.payment_id, ['succeeded']);
    await atRest(stack.db, payment.payment_id);
    expect(await statusesOf(payment)).toEqual([
      ['Timeout', undefined],
      ['Success', true],
    ]);
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([125_000n]);
  });

  it('are cancelled by a notification with the result', async () => {
    const payment = await begin('254711223344');
    await provider.advance(3 * second);
    await ended(stack.db, payment.payment_id, ['failed']);
    expect(await handleOf(payment).result()).toMatchObject({ status: 'failed' });
    // The query after an unsigned failure.
    expect(await questionsAbout(payment)).toBe(1);
  });

  it('deliver a webhook as soon as it is due again', async () => {
    const unlucky = await stack.createMerchant();
    let answers = 0;
    unlucky.receiver.answerWith((_request, response) => {
      answers += 1;
      response.statusCode = answers === 1 ? 500 : 200;
      response.end();
    });
    const payment = await accepted(stack, unlucky, { phone_number: '254711223344' });
    await provider.advance(3 * second);
    const retried = await waitFor(
      () => stack.db('outbox').where({ payment_id: payment.payment_id, tries: 1 }).first(),
      {
        what: 'the first attempt to fail',
        timeoutMs: 20_000,
      },
    );
    await stack.db('outbox').where({ webhook_id: retried.webhook_id }).update({ next_at: new Date() });
    await engine.advance(payment, 10 * second);
    await atRest(stack.db, payment.payment_id);
    expect(unlucky.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      retried.webhook_id,
      retried.webhook_id,
    ]);
    expect(await handleOf(payment).result()).toMatchObject({ status: 'failed' });
  });

  describe('an operator’s view in Temporal', () => {
    let payment: PaymentRow;
    beforeAll(async () => {
      payment = await accepted(stack, merchant, { phone_number: '254770000001', account_reference: 'INV-7' });
      await provider.advance(3 * second);
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await handleOf(payment).result();
    });

    it('is a short history: at most 30 events for a payment that a notification settled', async () => {
      const { events = [] } = await handleOf(payment).fetchHistory();
      expect((events ?? []).length).toBeLessThanOrEqual(30);
    });

    it('is a descriptive id, and current search attributes', async () => {
      const described = await handleOf(payment).describe();
      expect(described).toMatchObject({ workflowId: `stk-push/${payment.payment_id}`, type: 'stkPush' });
      const attributes = Object.fromEntries(
        [...described.typedSearchAttributes.getAll()].map(({ key, value }) => [key.name, value]),
      );
      expect(attributes).toMatchObject({
        MalipoMerchant: merchant.merchantId,
        MalipoRail: 'stk',
        MalipoStatus: 'succeeded',
        MalipoReference: payment.payment_id,
      });
    });

    it('finds a payment by them', async () => {
      const query = `MalipoMerchant = '${merchant.merchantId}' AND MalipoReference = '${payment.payment_id}' AND MalipoStatus = 'succeeded'`;
      const found = await waitFor(
        async () => {
          const ids: string[] = [];
          for await (const { workflowId } of engine.client.workflow.list({ query })) ids.push(workflowId);
          return ids[0];
        },
        { what: 'the payment to be found', timeoutMs: 20_000 },
      );
      expect(found).toBe(payment.workflow_id);
    });

    it('answers the timeline, also after the end', async () => {
      const status = await handleOf(payment).query<WorkflowStatus>('status');
      expect(status).toMatchObject({ paymentId: payment.payment_id, state: 'succeeded' });
      expect(status.timeline.map(({ text }) => text)).toEqual([
        "the provider's answer: accepted",
        'pending: Safaricom Daraja answered the submission',
        'after a notification',
        'succeeded: the provider reported it',
      ]);
    });

    it('has no phone, name or body in the history', async () => {
      const history = JSON.stringify(await handleOf(payment).fetchHistory());
      const decoded = history.replaceAll(/"data":"([A-Za-z0-9+/=]+)"/g, (_all, data: string) =>
        Buffer.from(data, 'base64').toString(),
      );
      for (const secret of [
        '254770000001',
        payment.callback_token ?? '',
        merchant.apiSecret,
        'MpesaReceiptNumber',
      ]) {
        expect(decoded).not.toContain(secret);
      }
    });
  });
});
