import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { captureIn, orderFields, type WireError } from '../../support/simulator/walletpay-client';

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

it('scenario 6, x.05: the instrument is declined once, and the same key repeats that answer', async () => {
  const { walletpay } = bench;
  const orderId = await walletpay.approved('12.05');
  const first = await walletpay.capture(orderId, 'key-1');
  expect(first.status).toBe(422);
  expect(issueOf(first.body)).toBe('INSTRUMENT_DECLINED');
  const redirect = first.body.links.find(({ rel }) => rel === 'redirect');
  expect(redirect?.href).toBe(`${bench.walletpay.origin}/checkoutnow?token=${orderId}`);
  expect(await walletpay.books()).toEqual({});
  const again = await walletpay.capture(orderId, 'key-1');
  expect([again.status, again.body]).toEqual([422, first.body]);
  expect((await walletpay.capture(orderId, 'key-2')).status).toBe(201);
});

it('a withdrawn approval returns the order to its earlier state, and is reported', async () => {
  const { walletpay } = bench;
  const orderId = await walletpay.approved();
  expect((await walletpay.decide(orderId, 'withdraw')).status).toBe(200);
  expect((await walletpay.query(orderId)).body.status).toBe('PAYER_ACTION_REQUIRED');
  expect(issueOf((await walletpay.capture(orderId)).body)).toBe('ORDER_NOT_APPROVED');
  await walletpay.advance(MINUTE);
  expect(reported().at(-1)).toBe('CHECKOUT.PAYMENT-APPROVAL.REVERSED');
  expect(resources().at(-1)).toMatchObject({ order_id: orderId });
  expect((await walletpay.decide(orderId, 'withdraw')).status).toBe(409);
  await walletpay.decide(orderId, 'approve');
  expect((await walletpay.capture(orderId)).status).toBe(201);
});

describe('scenario 7: capture twice', () => {
  it('the same key gives the same body with 200, and no second capture', async () => {
    const { walletpay } = bench;
    const orderId = await walletpay.approved();
    const first = await walletpay.capture(orderId, 'key-1');
    const again = await walletpay.capture(orderId, 'key-1');
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect(await walletpay.successes()).toMatchObject([{ reference: orderId }]);
  });

  it('without the key, or after the six hours that a key is kept, ORDER_ALREADY_CAPTURED', async () => {
    const { walletpay } = bench;
    const orderId = await walletpay.approved();
    await walletpay.capture(orderId, 'key-1');
    const other = await walletpay.capture(orderId, 'key-2');
    expect([other.status, issueOf(other.body)]).toEqual([422, 'ORDER_ALREADY_CAPTURED']);
    await walletpay.advance(6 * HOUR - MINUTE);
    expect((await walletpay.capture(orderId, 'key-1')).status).toBe(200);
    await walletpay.advance(2 * MINUTE);
    const late = await walletpay.capture(orderId, 'key-1');
    expect([late.status, issueOf(late.body)]).toEqual([422, 'ORDER_ALREADY_CAPTURED']);
  });

  it('a key that is used again with another body returns the first order', async () => {
    const { walletpay } = bench;
    const key = { 'paypal-request-id': 'create-1' };
    const first = await walletpay.create(orderFields('12.50'), key);
    const again = await walletpay.create(orderFields('99.00'), key);
    expect(again.body).toEqual(first.body);
    const { body } = await walletpay.query(first.body.id);
    expect(body.purchase_units[0]).toMatchObject({ amount: { value: '12.50' } });
  });

  it('a second order of the same invoice cannot be captured', async () => {
    const { walletpay } = bench;
    const invoice = { invoice_id: 'tx-1', custom_id: 'tx-1' };
    await walletpay.captured('12.50', invoice);
    const second = await walletpay.capture(await walletpay.approved('12.50', invoice));
    expect([second.status, issueOf(second.body)]).toEqual([422, 'DUPLICATE_INVOICE_ID']);
    expect(await walletpay.successes()).toHaveLength(1);
  });
});

it('scenario 8, x.06: 500 though captured; the order and the same key show the capture', async () => {
  const { walletpay } = bench;
  const orderId = await walletpay.approved('12.06');
  const first = await walletpay.capture(orderId, 'key-1');
  expect([first.status, first.body['name']]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
  expect(await walletpay.captureStatus(orderId)).toBe('COMPLETED');
  const again = await walletpay.capture(orderId, 'key-1');
  expect([again.status, captureIn(again.body)?.status]).toEqual([200, 'COMPLETED']);
  expect(await walletpay.successes()).toHaveLength(1);
});

describe('scenario 9: unusual events', () => {
  const run = async (value: string) => {
    const ids = await bench.walletpay.captured(value);
    return ids;
  };

  it('x.07: none at all', async () => {
    await run('12.07');
    await bench.walletpay.advance(24 * HOUR);
    expect(reported()).toEqual([]);
    expect(await bench.walletpay.successes()).toHaveLength(1);
  });

  it('x.08: a minute late', async () => {
    await run('12.08');
    await bench.walletpay.advance(50_000);
    expect(reported()).toEqual([]);
    await bench.walletpay.advance(15_000);
    expect(reported()).toEqual(['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.COMPLETED']);
  });

  it('x.09: three times with the same id and the same bytes', async () => {
    await run('12.09');
    await bench.walletpay.advance(MINUTE);
    expect(reported()).toEqual([
      ...Array<string>(3).fill('CHECKOUT.ORDER.APPROVED'),
      ...Array<string>(3).fill('PAYMENT.CAPTURE.COMPLETED'),
    ]);
    expect(new Set(events().map(({ id }) => id)).size).toBe(2);
    expect(new Set(bench.receiver.received.map(({ text }) => text)).size).toBe(2);
  });

  it('x.10: COMPLETED before APPROVED, which still shows the order as approved', async () => {
    await run('12.10');
    await bench.walletpay.advance(5 * MINUTE);
    expect(reported()).toEqual(['PAYMENT.CAPTURE.COMPLETED', 'CHECKOUT.ORDER.APPROVED']);
    expect(resources()[1]).toMatchObject({ status: 'APPROVED' });
  });

  it('x.10 without a capture: APPROVED arrives a minute late', async () => {
    const orderId = await bench.walletpay.approved('12.10');
    await bench.walletpay.advance(50_000);
    expect(reported()).toEqual([]);
    await bench.walletpay.advance(15_000);
    expect(resources()).toMatchObject([{ id: orderId, status: 'APPROVED' }]);
  });
});

describe('scenario 10: refunds by the provider', () => {
  it('a full refund: its links lead to the capture', async () => {
    const { walletpay } = bench;
    const { orderId, captureId } = await walletpay.captured('12.50', { custom_id: 'tx-91aa' });
    await walletpay.advance(MINUTE);
    const { body } = await walletpay.giveBack(captureId);
    await walletpay.advance(MINUTE);
    expect(reported().at(-1)).toBe('PAYMENT.CAPTURE.REFUNDED');
    expect(resources().at(-1)).toMatchObject({
      id: body['refund_id'],
      status: 'COMPLETED',
      amount: { currency_code: 'USD', value: '12.50' },
      custom_id: 'tx-91aa',
      links: [
        { rel: 'self', method: 'GET' },
        {
          rel: 'up',
          method: 'GET',
          href: `${walletpay.origin}/v2/payments/captures/${captureId}`,
        },
      ],
    });
    expect(await walletpay.captureStatus(orderId)).toBe('REFUNDED');
    expect(await walletpay.books()).toEqual({
      USD: { successes: 1, amount: '12.50', refunds: { successes: 1, amount: '12.50' } },
    });
    expect((await walletpay.giveBack(captureId)).status).toBe(400);
  });

  it('partial refunds, until nothing is left', async () => {
    const { walletpay } = bench;
    const { orderId, captureId } = await walletpay.captured();
    expect((await walletpay.giveBack(captureId, '1.00')).status).toBe(200);
    expect(await walletpay.captureStatus(orderId)).toBe('PARTIALLY_REFUNDED');
    expect((await walletpay.giveBack(captureId, '11.51')).status).toBe(400);
    expect((await walletpay.giveBack(captureId, '11.50')).status).toBe(200);
    expect(await walletpay.captureStatus(orderId)).toBe('REFUNDED');
    await walletpay.advance(MINUTE);
    expect(resources().slice(-2)).toMatchObject([
      { amount: { value: '1.00' }, seller_payable_breakdown: { total_refunded_amount: { value: '1.00' } } },
      { amount: { value: '11.50' }, seller_payable_breakdown: { total_refunded_amount: { value: '12.50' } } },
    ]);
  });

  it('a refund that is reported before the capture', async () => {
    const { walletpay } = bench;
    await walletpay.next({
      call: 'callback',
      behave: 'delay',
      ms: 10 * MINUTE,
      where: { event_type: 'PAYMENT.CAPTURE.COMPLETED' },
    });
    const { captureId } = await walletpay.captured();
    await walletpay.giveBack(captureId);
    await walletpay.advance(20 * MINUTE);
    expect(reported()).toEqual([
      'CHECKOUT.ORDER.APPROVED',
      'PAYMENT.CAPTURE.REFUNDED',
      'PAYMENT.CAPTURE.COMPLETED',
    ]);
    expect(resources().at(-1)).toMatchObject({ status: 'COMPLETED' });
  });

  it.each([
    ['2.21', 'COMPLETED', 'PARTIALLY_REFUNDED', true],
    ['2.22', 'FAILED', 'COMPLETED', false],
  ])('a refund by %s that is pending, and is then %s', async (value, end, captureIs, isBooked) => {
    const { walletpay } = bench;
    const { orderId, captureId } = await walletpay.captured();
    await walletpay.advance(MINUTE);
    const before = reported().length;
    const path = `/v2/payments/captures/${captureId}/refund`;
    const { body } = await walletpay.send(path, { amount: { currency_code: 'USD', value } });
    const statusOf = async () =>
      (await walletpay.get(`/v2/payments/refunds/${String(body['id'])}`)).body['status'];
    expect([body['status'], await statusOf()]).toEqual(['PENDING', 'PENDING']);
    expect(await walletpay.captureStatus(orderId)).toBe('PARTIALLY_REFUNDED');
    expect(await walletpay.books()).toEqual({ USD: { successes: 1, amount: '12.50' } });
    await walletpay.advance(2 * MINUTE);
    expect(await statusOf()).toBe(end);
    expect(await walletpay.captureStatus(orderId)).toBe(captureIs);
    expect(reported().slice(before)).toEqual(isBooked ? ['PAYMENT.CAPTURE.REFUNDED'] : []);
    const refunds = { refunds: { successes: 1, amount: value } };
    expect(await walletpay.books()).toEqual({
      USD: { successes: 1, amount: '12.50', ...(isBooked && refunds) },
    });
  });

  it('a reversal, with its own event type', async () => {
    const { walletpay } = bench;
    const { captureId } = await walletpay.captured();
    await walletpay.control(`captures/${captureId}`, { action: 'reverse' });
    await walletpay.advance(MINUTE);
    expect(reported().at(-1)).toBe('PAYMENT.CAPTURE.REVERSED');
    expect(await walletpay.books()).toMatchObject({ USD: { reversals: { successes: 1, amount: '12.50' } } });
  });

  it('a reversal that the order shows only later, though its event is sent', async () => {
    const { walletpay } = bench;
    const { orderId, captureId } = await walletpay.captured();
    await walletpay.control(`captures/${captureId}`, { action: 'reverse', shown_after_ms: HOUR });
    await walletpay.advance(MINUTE);
    expect(reported().at(-1)).toBe('PAYMENT.CAPTURE.REVERSED');
    expect(await walletpay.captureStatus(orderId)).toBe('COMPLETED');
    await walletpay.advance(HOUR);
    expect(await walletpay.captureStatus(orderId)).toBe('REFUNDED');
  });

  it('a dispute: reported with its capture, and paid again when the seller wins', async () => {
    const { walletpay } = bench;
    const { orderId, captureId } = await walletpay.captured('12.50', { custom_id: 'tx-91aa' });
    const dispute = (action: string) => walletpay.control(`disputes/${captureId}`, { action });
    expect((await dispute('win')).status).toBe(409);
    const { body } = await dispute('open');
    await walletpay.control(`captures/${captureId}`, { action: 'reverse' });
    expect(await walletpay.captureStatus(orderId)).toBe('REFUNDED');
    await dispute('win');
    expect(await walletpay.captureStatus(orderId)).toBe('COMPLETED');
    await walletpay.advance(MINUTE);
    expect(events().filter(({ resource_type: type }) => type === 'dispute')).toMatchObject([
      {
        event_type: 'CUSTOMER.DISPUTE.CREATED',
        resource: {
          dispute_id: body['dispute_id'],
          disputed_transactions: [{ seller_transaction_id: captureId, custom: 'tx-91aa' }],
        },
      },
      {
        event_type: 'CUSTOMER.DISPUTE.RESOLVED',
        resource: { dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' } },
      },
    ]);
    expect(await walletpay.books()).toEqual({ USD: { successes: 1, amount: '12.50' } });
  });

  it.each([
    ['12.01', 'DECLINED'],
    ['12.03', 'PENDING'],
  ])('refuses a refund of an unpaid capture, %s', async (value, status) => {
    const { captureId } = await bench.walletpay.captured(value);
    const { status: code, body } = await bench.walletpay.giveBack(captureId);
    expect([code, body['error']]).toEqual([409, `The capture is ${status}`]);
  });
});

it('amounts without decimals never choose a scenario', async () => {
  const { walletpay } = bench;
  const yen = { amount: { currency_code: 'JPY', value: '1201' } };
  const { orderId } = await walletpay.captured('0', yen);
  expect(await walletpay.captureStatus(orderId)).toBe('COMPLETED');
  expect(await walletpay.books()).toEqual({ JPY: { successes: 1, amount: '1201.00' } });
});
