import { startTestBench, type TestBench } from '../../support/simulator/bench';
import {
  captureIn,
  orderFields,
  type WireError,
  type WireOrder,
} from '../../support/simulator/walletpay-client';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const events = () => bench.receiver.received.map(({ body }) => body);
const reported = () => events().map((event) => event['event_type']);
const resources = () => events().map((event) => event['resource'] as Record<string, unknown>);
const issueOf = (body: unknown) => (body as WireError).details[0]?.issue;

describe('scenario 1: approve, return, capture', () => {
  it('sends the buyer back with token and PayerID, captures, and reports both', async () => {
    const { walletpay } = bench;
    const orderId = await walletpay.order();
    const { body: decided } = await walletpay.decide(orderId, 'approve');
    const target = new URL(String(decided['return_url']));
    expect(`${target.origin}${target.pathname}`).toBe('https://merchant.example/wp/return');
    expect(target.searchParams.get('token')).toBe(orderId);
    expect(target.searchParams.get('PayerID')).toMatch(/^[A-Z0-9]{13}$/);
    expect((await walletpay.query(orderId)).body.status).toBe('APPROVED');

    const { status, body } = await walletpay.capture(orderId);
    expect(status).toBe(201);
    expect(body.status).toBe('COMPLETED');
    expect(captureIn(body)?.status).toBe('COMPLETED');
    await walletpay.advance(MINUTE);
    expect(reported()).toEqual(['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.COMPLETED']);
    expect(await walletpay.books()).toEqual({ USD: { successes: 1, amount: '12.50' } });
  });

  it('keeps the query of a return address', async () => {
    const { walletpay } = bench;
    const fields = orderFields();
    const context = {
      return_url: 'https://merchant.example/r?a=1',
      cancel_url: 'https://merchant.example/c?b=2',
    };
    const { body } = await walletpay.create({
      ...fields,
      payment_source: { paypal: { experience_context: context } },
    });
    const cancelled = await walletpay.decide(body.id, 'cancel');
    expect(cancelled.body['return_url']).toBe(`https://merchant.example/c?b=2&token=${body.id}`);
    const approved = await walletpay.decide(body.id, 'approve');
    expect(approved.body['return_url']).toMatch(`https://merchant.example/r?a=1&token=${body.id}&PayerID=`);
  });
});

describe('scenario 2: the buyer closes the tab', () => {
  it('only the event reports that the order is approved', async () => {
    const { walletpay } = bench;
    const orderId = await walletpay.order();
    const { body } = await walletpay.decide(orderId, 'approve_and_close');
    expect(body).toEqual({ success: true, walletpay_order_id: orderId, action: 'approve_and_close' });
    await walletpay.advance(MINUTE);
    expect(reported()).toEqual(['CHECKOUT.ORDER.APPROVED']);
    expect(resources()[0]).toMatchObject({ id: orderId, status: 'APPROVED' });
    expect((await walletpay.capture(orderId)).status).toBe(201);
  });
});

describe('scenario 3: the buyer cancels, or leaves', () => {
  it('goes to the cancel address, and can return and pay', async () => {
    const { walletpay } = bench;
    const orderId = await walletpay.order();
    const { body } = await walletpay.decide(orderId, 'cancel');
    expect(body['return_url']).toBe(`https://merchant.example/wp/cancel?token=${orderId}`);
    expect((await walletpay.query(orderId)).body.status).toBe('PAYER_ACTION_REQUIRED');
    const capture = await walletpay.capture(orderId);
    expect(capture.status).toBe(422);
    expect(issueOf(capture.body)).toBe('ORDER_NOT_APPROVED');
    await walletpay.decide(orderId, 'approve');
    expect((await walletpay.capture(orderId)).status).toBe(201);
  });

  it('an order that is not approved expires after three hours', async () => {
    const { walletpay } = bench;
    const orderId = await walletpay.order();
    await walletpay.advance(3 * HOUR - MINUTE);
    expect((await walletpay.query(orderId)).status).toBe(200);
    await walletpay.advance(2 * MINUTE);
    expect((await walletpay.query(orderId)).status).toBe(404);
    expect((await walletpay.capture(orderId)).status).toBe(404);
    expect((await walletpay.decide(orderId, 'approve')).status).toBe(404);
  });

  it('an approved order that is not captured expires three hours later, a captured one never', async () => {
    const { walletpay } = bench;
    const [left, captured] = [await walletpay.order(), await walletpay.order()];
    await walletpay.advance(2 * HOUR);
    await walletpay.decide(left, 'approve');
    await walletpay.decide(captured, 'approve');
    await walletpay.capture(captured);
    await walletpay.advance(2 * HOUR);
    expect((await walletpay.query(left)).body.status).toBe('APPROVED');
    await walletpay.advance(HOUR + MINUTE);
    expect((await walletpay.query(left)).status).toBe(404);
    expect((await walletpay.query(captured)).body.status).toBe('COMPLETED');
  });
});

describe('scenario 4: the capture is denied', () => {
  it.each([
    ['12.01', 'PAYMENT.CAPTURE.DENIED'],
    ['12.02', 'PAYMENT.CAPTURE.DECLINED'],
  ])('%s: the capture is DECLINED in a COMPLETED order, and %s reports it', async (value, event) => {
    const { walletpay } = bench;
    const { orderId } = await walletpay.captured(value);
    const { body } = await walletpay.query(orderId);
    expect([body.status, captureIn(body)?.status]).toEqual(['COMPLETED', 'DECLINED']);
    await walletpay.advance(MINUTE);
    expect(reported()).toEqual(['CHECKOUT.ORDER.APPROVED', event]);
    expect(resources()[1]).toMatchObject({ status: 'DECLINED' });
    expect(await walletpay.books()).toEqual({});
  });
});

describe('scenario 5: the capture is pending', () => {
  it.each([
    ['12.03', 'COMPLETED', 'PAYMENT.CAPTURE.COMPLETED', { USD: { successes: 1, amount: '12.03' } }],
    ['12.04', 'DECLINED', 'PAYMENT.CAPTURE.DENIED', {}],
  ])('%s: PENDING_REVIEW, and %s a minute later', async (value, status, event, books) => {
    const { walletpay } = bench;
    const { orderId } = await walletpay.captured(value);
    await walletpay.advance(30_000);
    expect(captureIn((await walletpay.query(orderId)).body)).toMatchObject({
      status: 'PENDING',
      status_details: { reason: 'PENDING_REVIEW' },
    });
    expect(reported()).toEqual(['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.PENDING']);
    expect(resources()[1]).toMatchObject({ status: 'PENDING', status_details: { reason: 'PENDING_REVIEW' } });
    await walletpay.advance(MINUTE);
    expect(await walletpay.captureStatus(orderId)).toBe(status);
    expect(reported().at(-1)).toBe(event);
    expect(await walletpay.books()).toEqual(books);
  });
});

it('a decided order cannot be decided again', async () => {
  const { walletpay } = bench;
  const orderId = await walletpay.approved();
  expect((await walletpay.decide(orderId, 'approve')).status).toBe(409);
  expect((await walletpay.decide(orderId, 'think')).body['error']).toBe(
    'action must be one of: approve, approve_and_close, cancel, withdraw',
  );
  const { body }: { body: WireOrder } = await walletpay.query(orderId);
  expect(body.status).toBe('APPROVED');
});
