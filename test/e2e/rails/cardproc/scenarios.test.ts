import { walletBalance } from '../../../../src/ledger/balances';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened, creditsOf, ended } from '../../../support/payments/timeline';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { verifySignature } from '../../../support/webhook-receiver';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import {
  simulatorControl,
  type Exchange,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import {
  accepted,
  cardAccepted,
  customer,
  post,
  statusPath,
  notifiedOf,
} from '../../../support/rails/cardproc/payments';
import { fieldsOfEveryWebhook } from '../../../support/webhook-fields';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Every scenario of the processor, by its number; 11 and 12 are among the reversals, 18 among the answers. */
describe('a hosted checkout, from the request to the books', () => {
  let stack: OwnStack;
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

  const order = (amount: number | string = 1500, changes: Record<string, unknown> = {}) =>
    accepted(stack, merchant, { amount, ...changes });
  const current = ({ payment_id: id }: PaymentRow) => getPaymentOrThrow(stack.db, id);
  const becomes = ({ payment_id: id }: PaymentRow, state: PaymentRow['state']) =>
    ended(stack.db, id, [state]);
  const credits = ({ payment_id: id }: PaymentRow) => creditsOf(stack.db, id);
  const reported = async ({ payment_id: id }: PaymentRow) => {
    await atRest(stack.db, id);
    return notifiedOf(stack.db, id);
  };
  const about = (name: string, which: (exchange: Exchange) => boolean) => async () =>
    (await provider.exchanges(name)).filter(which);
  const notificationsOf = ({ provider_reference: id }: PaymentRow) =>
    about('callback', ({ body }) => body.OrderTrackingId === id)();
  const questionsAbout = ({ provider_reference: id }: PaymentRow) =>
    about('query', ({ url }) => url.includes(String(id)))();

  it.each([
    ['pay_card', 'Visa', /^6\d{21}$/],
    ['pay_mobile', 'MpesaKE', /^[A-Z0-9]{10}$/],
  ] as const)('1 %s: notified, confirmed by the processor, and credited', async (action, method, code) => {
    const payment = await order(1500, { order_id: `ORDER ${action}` });
    await customer(provider, payment, action, true);
    const paid = await becomes(payment, 'succeeded');
    expect(paid.details).toMatchObject({
      payment_method: method,
      confirmation_code: expect.stringMatching(code),
    });
    expect(await credits(payment)).toEqual([150_000n]);
    expect(await reported(payment)).toEqual(['COMPLETED']);
    const webhook = merchant.receiver.received.find(({ body }) => body['order_id'] === `ORDER ${action}`);
    if (!webhook) throw new Error('the merchant was not told');
    verifySignature(webhook, merchant.webhookSecret);
    expect(webhook.headers['x-callback-type']).toBe('Hosted-Checkout');
    expect(webhook.body).toEqual({
      ...fieldsOfEveryWebhook,
      event_id: expect.stringMatching(uuid),
      type: 'deposit',
      rail: 'cardproc',
      transaction_id: payment.payment_id,
      order_id: `ORDER ${action}`,
      provider_reference: payment.provider_reference,
      status: 'COMPLETED',
      amount: 1500,
      currency: 'KES',
      credited_amount: 1500,
      credited_currency: 'KES',
      failure_code: null,
      failure_message: null,
      correction: false,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('1 through the card API: credited the same way, without a webhook', async () => {
    const payment = await cardAccepted(stack, merchant, { currency: 'UGX', amount: 50_000 });
    await customer(provider, payment, 'pay_mobile');
    await becomes(payment, 'succeeded');
    expect(await walletBalance(stack.db, merchant.merchantId, 'UGX')).toBe(50_000n);
    expect(await reported(payment)).toEqual([]);
  });

  it('2 unpaid: polled for a day, then INVALID', async () => {
    const payment = await order();
    for (const ms of [5 * minuteMs, 60 * minuteMs, dayMs / 2]) await engine.advance(payment, ms);
    await waitFor(async () => (await questionsAbout(payment)).length > 0 || undefined, {
      what: 'the processor to be asked',
      timeoutMs: 20_000,
    });
    expect((await current(payment)).state).toBe('pending');
    await engine.advance(payment, dayMs / 2);
    await becomes(payment, 'timed_out');
    expect(await reported(payment)).toEqual(['INVALID']);
  });

  it('3 failed, then paid on the same page: reported as a failure, then corrected', async () => {
    const payment = await order();
    await customer(provider, payment, 'fail');
    expect(await becomes(payment, 'failed')).toMatchObject({
      result_code: 'FAILED',
      result_text: expect.stringContaining('Unable to Authorize'),
    });
    expect(await credits(payment)).toEqual([]);
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    expect(await reported(payment)).toEqual(['FAILED', 'COMPLETED correction']);
    expect(await credits(payment)).toEqual([150_000n]);
  });

  it('3 failed, and never paid: it stays a failure, with its reason', async () => {
    const payment = await order();
    await customer(provider, payment, 'fail_mobile');
    expect(await becomes(payment, 'failed')).toMatchObject({ result_text: 'request_terminated_by_user' });
    await engine.advance(payment, dayMs);
    await engine.advance(payment, 2 * dayMs);
    expect(await reported(payment)).toEqual(['FAILED']);
  });

  it('4 cancelled by the customer: no notification, and it can still be paid', async () => {
    const payment = await order();
    await customer(provider, payment, 'cancel', true);
    await waitFor(async () => (await questionsAbout(payment)).length > 0 || undefined, {
      what: 'the browser to come back',
      timeoutMs: 20_000,
    });
    expect([(await current(payment)).state, await notificationsOf(payment)]).toEqual(['pending', []]);
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
  });

  it('5 the customer closes the tab: the notification is enough', async () => {
    const payment = await order();
    await customer(provider, payment, 'pay_card', false);
    await becomes(payment, 'succeeded');
    expect(await notificationsOf(payment)).toMatchObject([{ answer: { status: 200 } }]);
  });

  it('6 the notification is lost: the returning browser is enough', async () => {
    const payment = await order(1500.05);
    await customer(provider, payment, 'pay_card', true);
    await becomes(payment, 'succeeded');
    expect(await notificationsOf(payment)).toEqual([]);
  });

  it('7 neither arrives: our own first poll finds it', async () => {
    const payment = await order(1500.06);
    await customer(provider, payment, 'pay_mobile');
    await engine.advance(payment, minuteMs);
    await becomes(payment, 'succeeded');
    expect(await reported(payment)).toEqual(['COMPLETED']);
  });

  it('8 notified before the status is ready: queried again until it is', async () => {
    const payment = await order(1500.07);
    await customer(provider, payment, 'pay_card');
    await waitFor(async () => (await questionsAbout(payment)).length > 0 || undefined, {
      what: 'the first question',
      timeoutMs: 20_000,
    });
    expect((await current(payment)).state).toBe('pending');
    await provider.advance(10 * secondMs);
    await engine.advance(payment, 10 * secondMs);
    await becomes(payment, 'succeeded');
  });

  it('9 three identical notifications are one credit', async () => {
    const payment = await order(1500.08);
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    await waitFor(async () => (await notificationsOf(payment)).length === 3 || undefined, {
      what: 'three notifications',
      timeoutMs: 20_000,
    });
    expect(await reported(payment)).toEqual(['COMPLETED']);
    expect(await credits(payment)).toEqual([150_008n]);
  });

  it('9 a late notification finds it credited already', async () => {
    const payment = await order(1500.09);
    await customer(provider, payment, 'pay_card');
    await engine.advance(payment, minuteMs);
    await becomes(payment, 'succeeded');
    await provider.advance(minuteMs);
    expect(await notificationsOf(payment)).toMatchObject([{ answer: { status: 200 } }]);
    expect(await reported(payment)).toEqual(['COMPLETED']);
    expect(await credits(payment)).toEqual([150_009n]);
  });

  it('10 every notification is answered as the processor expects, so none is repeated', async () => {
    const payment = await order();
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    await provider.advance(minuteMs);
    expect(await notificationsOf(payment)).toHaveLength(1);
  });

  it('13 forged notifications change nothing', async () => {
    const payment = await order();
    const forgeries = [
      { order_tracking_id: '00000000-0000-4000-8000-000000000000' },
      { order_tracking_id: payment.provider_reference, merchant_reference: 'somebody else' },
      { order_tracking_id: payment.provider_reference },
    ];
    for (const forgery of forgeries) await provider.notify('notifications', forgery);
    const [unverified, ...others] = await stack.db('inbox').where({ payment_id: payment.payment_id });
    expect([unverified?.state, others]).toEqual(['new', []]);
    expect([(await current(payment)).state, await credits(payment)]).toEqual(['pending', []]);
    await engine.advance(payment, dayMs);
    await becomes(payment, 'timed_out');
  });

  it('14 another amount was paid: nothing is credited until an operator decides', async () => {
    const payment = await order(1500.1);
    await customer(provider, payment, 'pay_card', true);
    expect(await caseOpened(stack.db, payment.payment_id)).toEqual(['amount_differs']);
    await engine.advance(payment, 3 * dayMs);
    expect([(await current(payment)).state, await credits(payment)]).toEqual(['pending', []]);
    const shown = await post(stack, statusPath, { order_tracking_id: payment.provider_reference });
    expect(shown.body).toMatchObject({ status: 'INVALID', amount: 1500.1 });
  });

  it('15 an order that is lost on its way is submitted again and can be paid', async () => {
    const payment = await order(1500.11);
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([150_011n]);
    expect(payment.details.submitted_as).toMatch(/-2$/);
  });

  it('a notification address that the processor has lost is registered again, and the order accepted', async () => {
    await order();
    const before = (await provider.exchanges('register_ipn')).length;
    await provider.notify('registrations', { action: 'revoke' });
    const payment = await order();
    // Each worker with that id must notice by itself, and its rejected order was not accepted.
    const submitted = Number(/-(\d+)$/.exec(String(payment.details.submitted_as))?.[1]);
    expect(submitted).toBeGreaterThan(1);
    expect(submitted).toBeLessThanOrEqual(1 + stack.names('worker').length);
    expect(await provider.exchanges('register_ipn')).toHaveLength(before + 1);
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([150_000n]);
  });

  it('16 a token that expires early is renewed for a query as for an order', async () => {
    const payment = await order();
    await provider.notify('tokens', { action: 'expire' });
    await customer(provider, payment, 'pay_card');
    await becomes(payment, 'succeeded');
    const { details } = await current(payment);
    expect(details.payment_method).toBe('Visa');
  });

  it('17 mixed case, nulls and a numeric status are read', async () => {
    const payment = await order(1500.14);
    await customer(provider, payment, 'fail');
    expect(await becomes(payment, 'failed')).toMatchObject({ result_text: 'The payment failed' });
    await customer(provider, payment, 'pay_mobile');
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([150_014n]);
  });

  it('no customer’s data is left in any payment, log line or stored notification', async () => {
    const rows = [await stack.db('payments'), await stack.db('inbox'), await stack.db('payment_log')];
    expect(JSON.stringify(rows)).not.toMatch(/ana@|"Ana"|Doe|254700000001/);
    expect(await stack.logs()).not.toMatch(/ana@|254700000001/);
  });
});
