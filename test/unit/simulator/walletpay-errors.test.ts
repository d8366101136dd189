import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { payoutFields, type WireError } from '../../support/simulator/walletpay-client';

const longId: unknown = expect.stringMatching(/^[A-Z0-9]{17}$/);
const debugId: unknown = expect.stringMatching(/^[\da-f]{13}$/);

let bench: TestBench;
let base: string;
beforeAll(async () => {
  bench = await startTestBench();
  base = bench.walletpay.origin;
});
afterAll(() => bench.stop());

const issueOf = (body: unknown) => (body as WireError).details[0]?.issue;

describe('POST /v2/payments/captures/{id}/refund', () => {
  const whole = { prefer: 'return=representation' };
  const refund = (captureId: string, body: unknown, headers: Record<string, string> = whole) =>
    bench.walletpay.send(`/v2/payments/captures/${captureId}/refund`, body, headers);
  const usd = (value: string) => ({ amount: { currency_code: 'USD', value } });

  it('refunds a part, and the rest when no amount is given', async () => {
    const { walletpay } = bench;
    const { captureId } = await walletpay.captured('12.50');
    const first = await refund(captureId, { amount: { currency_code: 'USD', value: '2.50' } });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      id: longId,
      status: 'COMPLETED',
      amount: { currency_code: 'USD', value: '2.50' },
    });
    expect((await walletpay.get(`/v2/payments/refunds/${String(first.body['id'])}`)).body).toEqual(
      first.body,
    );
    expect((await refund(captureId, {})).body).toMatchObject({ amount: { value: '10.00' } });
    expect(issueOf((await refund(captureId, {})).body)).toBe('CAPTURE_FULLY_REFUNDED');
  });

  it('is done once for each key', async () => {
    const { captureId } = await bench.walletpay.captured('12.50');
    const one = { amount: { currency_code: 'USD', value: '1.00' } };
    const first = await refund(captureId, one, { ...whole, 'paypal-request-id': `refund-${captureId}` });
    const again = await refund(captureId, one, { 'paypal-request-id': `refund-${captureId}` });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
  });

  it.each([
    ['12.50', 'USD', '12.51', 'REFUND_AMOUNT_EXCEEDED'],
    ['12.50', 'EUR', '1.00', 'REFUND_CAPTURE_CURRENCY_MISMATCH'],
    ['12.03', 'USD', '1.00', 'PENDING_CAPTURE'],
    ['12.01', 'USD', '1.00', 'REFUND_NOT_ALLOWED'],
  ])('of %s refuses %s %s: %s', async (value, currency, wanted, issue) => {
    const { captureId } = await bench.walletpay.captured(value);
    const { status, body } = await refund(captureId, { amount: { currency_code: currency, value: wanted } });
    expect([status, issueOf(body)]).toEqual([422, issue]);
  });

  it('answers only an id and a status unless more is requested', async () => {
    const { captureId } = await bench.walletpay.captured('12.50');
    const { body } = await refund(captureId, usd('1.00'), {});
    expect(Object.keys(body)).toEqual(['id', 'status', 'links']);
  });

  it('gives a refund the ids of its request, each of them once, and otherwise those of its order', async () => {
    const { walletpay } = bench;
    const { orderId, captureId } = await walletpay.captured('12.50', {
      custom_id: 'tx-1',
      invoice_id: 'tx-1',
    });
    const named = { ...usd('1.00'), custom_id: 'r-1', invoice_id: 'r-1' };
    expect((await refund(captureId, named)).body).toMatchObject({ custom_id: 'r-1', invoice_id: 'r-1' });
    expect(issueOf((await refund(captureId, named)).body)).toBe('DUPLICATE_INVOICE_ID');
    expect((await refund(captureId, usd('1.00'))).body).toMatchObject({ custom_id: 'tx-1' });
    expect((await walletpay.query(orderId)).body.purchase_units[0]).toMatchObject({
      payments: { refunds: [{ custom_id: 'r-1' }, { custom_id: 'tx-1' }] },
    });
  });

  it('allows at most ten for a capture', async () => {
    const { captureId } = await bench.walletpay.captured('12.50');
    for (let n = 0; n < 10; n += 1) expect((await refund(captureId, usd('0.10'))).status).toBe(201);
    expect(issueOf((await refund(captureId, usd('0.10'))).body)).toBe('MAX_NUMBER_OF_REFUNDS_EXCEEDED');
  });

  it('refunds only the whole rest of a disputed capture, and nothing after a chargeback', async () => {
    const { walletpay } = bench;
    const { captureId } = await walletpay.captured('12.50');
    await walletpay.control(`disputes/${captureId}`, { action: 'open' });
    expect(issueOf((await refund(captureId, usd('1.00'))).body)).toBe('TRANSACTION_DISPUTED');
    expect((await refund(captureId, {})).status).toBe(201);
    const { captureId: other } = await walletpay.captured('12.50');
    await walletpay.control(`captures/${other}`, { action: 'reverse', amount: '1.00' });
    expect(issueOf((await refund(other, {})).body)).toBe('REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK');
  });

  it.each([
    ['2.23', 'REFUND_FAILED_INSUFFICIENT_FUNDS'],
    ['2.24', 'PARTIAL_REFUND_NOT_ALLOWED'],
  ])('of %s is refused: %s', async (value, issue) => {
    const { captureId } = await bench.walletpay.captured('12.50');
    expect(issueOf((await refund(captureId, usd(value))).body)).toBe(issue);
  });

  it('does not know an invented capture', async () => {
    expect((await refund('NOSUCHCAPTURE', {})).status).toBe(404);
  });
});

describe('errors', () => {
  it('have the five fields, and the debug id in a header as well', async () => {
    const { walletpay } = bench;
    const response = await fetch(`${base}/v2/checkout/orders/NOSUCHORDER`, {
      headers: await walletpay.bearer(),
    });
    const body = (await response.json()) as Record<string, unknown>;
    expect(response.status).toBe(404);
    expect(body).toEqual({
      name: 'RESOURCE_NOT_FOUND',
      message: 'The specified resource does not exist.',
      debug_id: debugId,
      details: [
        {
          issue: 'INVALID_RESOURCE_ID',
          description: 'Specified resource ID does not exist. Please check the resource ID and try again.',
        },
      ],
      links: [],
    });
    expect(response.headers.get('paypal-debug-id')).toBe(body['debug_id']);
  });

  it('401 without a token, or with an invented one', async () => {
    for (const headers of [{}, { authorization: 'Bearer made-up' }]) {
      const { status, body } = await bench.walletpay.call('/v2/checkout/orders/X', { headers });
      expect([status, body['name']]).toEqual([401, 'AUTHENTICATION_FAILURE']);
    }
  });

  it('400 for a body that is not JSON, 415 without the content type, 404 for an unknown address', async () => {
    const { walletpay } = bench;
    const send = async (path: string, type: string, body: string) =>
      walletpay.call(path, {
        method: 'POST',
        headers: { ...(await walletpay.bearer()), 'content-type': type },
        body,
      });
    const orders = '/v2/checkout/orders';
    expect((await send(orders, 'application/json', '{')).body).toMatchObject({
      name: 'INVALID_REQUEST',
      details: [{ issue: 'MALFORMED_REQUEST_JSON' }],
    });
    expect((await send(orders, 'text/plain', '{}')).status).toBe(415);
    expect((await send('/v1/payments/nothing', 'application/json', '{}')).status).toBe(404);
  });
});

describe('PayPal-Mock-Response', () => {
  const mock = (code: string) => ({
    'paypal-mock-response': JSON.stringify({ mock_application_codes: code }),
  });

  it('makes orders and payments fail as asked, and nothing happens', async () => {
    const { walletpay } = bench;
    const orderId = await walletpay.approved();
    const path = `/v2/checkout/orders/${orderId}/capture`;
    const refused = await walletpay.send(path, {}, mock('INSTRUMENT_DECLINED'));
    expect([refused.status, issueOf(refused.body)]).toEqual([422, 'INSTRUMENT_DECLINED']);
    expect((await walletpay.send(path, {}, mock('INTERNAL_SERVER_ERROR'))).status).toBe(500);
    expect((await walletpay.send(path, {}, mock('NO_SUCH_CODE'))).status).toBe(400);
    expect((await walletpay.query(orderId)).body.status).toBe('APPROVED');
  });

  it('has no effect on payouts', async () => {
    const sent = await bench.walletpay.send(
      '/v1/payments/payouts',
      payoutFields(),
      mock('INTERNAL_SERVER_ERROR'),
    );
    expect(sent.status).toBe(201);
  });
});
