/** The meaning of the provider’s answer about an order, line by line. */
import {
  aged,
  call,
  capture,
  captureId,
  html,
  order,
  orderId,
  payment,
  provider,
  denial,
  startScriptedProvider,
  usd,
  type Reply,
  type ScriptedProvider,
} from './paypal-support';

const query = `GET /v2/checkout/orders/${orderId}`;
let paypal: ScriptedProvider;

beforeAll(async () => {
  paypal = await startScriptedProvider();
});
beforeEach(() => paypal.reset());
afterAll(() => paypal.close());

describe('the state of an order', () => {
  const found = async (json: unknown, row = payment()) => {
    paypal.answers(query, { status: 200, json });
    return provider(paypal.url).order.retrieveStatus(row, call);
  };
  const captured = (changes: Record<string, unknown>, refunds?: unknown) =>
    found(order('COMPLETED', { captures: [capture(changes)], refunds }));

  it.each(['CREATED', 'SAVED', 'PAYER_ACTION_REQUIRED'])('%s is open', async (status) => {
    expect(await found(order(status))).toEqual({ kind: 'open', text: status, providerReference: orderId });
  });

  it('APPROVED is to be captured', async () => {
    expect(await found(order('APPROVED'))).toMatchObject({ kind: 'open', approved: true });
  });

  it('VOIDED failed', async () => {
    expect(await found(order('VOIDED'))).toMatchObject({ kind: 'failed', code: 'ORDER_VOIDED' });
  });

  it.each(['COMPLETED', 'NEVER_SEEN', '__proto__'])('%s without a capture proves nothing', async (status) => {
    expect(await found(order(status))).toMatchObject({ kind: 'unknown' });
  });

  it('captured and COMPLETED is paid, with the confirmed amount', async () => {
    expect(await captured({ amount: usd('11.00') })).toEqual({
      kind: 'succeeded',
      code: 'COMPLETED',
      text: 'COMPLETED',
      amountMinor: 1_100n,
      currency: 'USD',
      receipt: captureId,
      providerReference: orderId,
      details: { capture_id: captureId, capture_status: 'COMPLETED', capture_reason: '' },
    });
  });

  it.each([
    'BUYER_COMPLAINT',
    'CHARGEBACK',
    'ECHECK',
    'INTERNATIONAL_WITHDRAWAL',
    'OTHER',
    'PENDING_REVIEW',
    'RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION',
    'REFUNDED',
    'TRANSACTION_APPROVED_AWAITING_FUNDING',
    'UNILATERAL',
    'VERIFICATION_REQUIRED',
  ])('captured and PENDING for %s is open, with its reason', async (reason) => {
    const providerResult = await captured({ status: 'PENDING', status_details: { reason } });
    expect(providerResult).toMatchObject({
      kind: 'open',
      details: { capture_id: captureId, capture_status: 'PENDING', capture_reason: reason },
    });
    expect(providerResult).not.toHaveProperty('approved');
  });

  it.each(['DECLINED', 'FAILED'])('captured and %s failed', async (status) => {
    expect(await captured({ status })).toMatchObject({ kind: 'failed', code: `CAPTURE_${status}` });
  });

  it.each<[string, Record<string, unknown>]>([
    ['in a status nobody has seen', { status: 'NEVER_SEEN' }],
    ['without an id', { id: undefined }],
    ['with an id that is no word', { id: 'a/../b' }],
    ['without an amount', { amount: undefined }],
    ['with an amount in numbers', { amount: { currency_code: 'USD', value: 12.5 } }],
    ['with an amount in exponents', { amount: usd('1e3') }],
    ['for less than nothing', { amount: usd('-12.50') }],
    ['for another payment', { custom_id: 'tx-2' }],
    ['for another invoice', { invoice_id: 'tx-2' }],
  ])('captured %s proves nothing', async (_what, changes) => {
    expect(await captured(changes)).toMatchObject({ kind: 'unknown' });
  });

  it('captured in another currency is returned with it', async () => {
    const providerResult = await captured({ amount: { currency_code: 'EUR', value: '12.50' } });
    expect(providerResult).toMatchObject({ kind: 'succeeded', currency: 'EUR', amountMinor: 1250n });
  });

  it('captured in an unknown currency is returned with it, and without an amount', async () => {
    const providerResult = await captured({ amount: { currency_code: 'ZZZ', value: '12.50' } });
    expect(providerResult).toMatchObject({ kind: 'succeeded', currency: 'ZZZ' });
    expect(providerResult).not.toHaveProperty('amountMinor');
  });

  it('uses the completed capture before a declined one', async () => {
    const captures = [capture({ id: 'NO1', status: 'DECLINED' }), capture()];
    expect(await found(order('COMPLETED', { captures }))).toMatchObject({
      kind: 'succeeded',
      receipt: captureId,
    });
    expect(await found(order('COMPLETED', { captures: captures.reverse() }))).toMatchObject({
      kind: 'succeeded',
    });
  });

  it.each<[string, unknown]>([
    ['of another order', order('APPROVED', undefined, { id: '1AB' })],
    ['of another payment', order('APPROVED', undefined, { purchase_units: [{ custom_id: 'tx-2' }] })],
    ['of nobody', order('APPROVED', undefined, { purchase_units: [{}] })],
    ['that is a list', []],
    ['that is null', null],
    ['that holds nothing', {}],
  ])('in an answer %s says nothing', async (_what, json) => {
    expect(await found(json)).toMatchObject({ kind: 'unknown' });
  });

  it.each<[string, Reply]>([
    ['500', denial(500, 'INTERNAL_SERVER_ERROR')],
    ['a page', html(200)],
    ['a 404 page', html(404)],
    ['a 404 that is about something else', denial(404, 'NO_SUCH_ROUTE')],
    ['403', denial(403, 'NOT_AUTHORIZED')],
    ['429', denial(429, 'RATE_LIMIT_REACHED')],
    ['no answer', 'close'],
    ['too much', { status: 200, text: `{"id":"${'x'.repeat(100_000)}"}` }],
    ['a redirect', { status: 302, location: 'https://elsewhere.example/' }],
  ])('is unknown after %s, even when it is old', async (_what, reply) => {
    paypal.answers(query, reply);
    const old = payment(aged(100));
    expect(await provider(paypal.url).order.retrieveStatus(old, call)).toMatchObject({ kind: 'unknown' });
  });

  it('is unknown with an invalid reference, and no query is sent', async () => {
    const row = payment({ provider_reference: '../../v1/payments' });
    expect(await provider(paypal.url).order.retrieveStatus(row, call)).toMatchObject({ kind: 'unknown' });
    expect(paypal.heard).toEqual([]);
  });

  describe('whose creation got no answer', () => {
    const lost = (reply: Reply, changes: Partial<ReturnType<typeof payment>> = {}) => {
      paypal.answers('POST /v2/checkout/orders', reply);
      const row = payment({ provider_reference: null, ...changes });
      return provider(paypal.url).order.retrieveStatus(row, call);
    };

    it('is found by creating it again with its key', async () => {
      expect(await lost({ status: 200, json: order('PAYER_ACTION_REQUIRED') })).toEqual({
        kind: 'open',
        providerReference: orderId,
        details: { approval_url: `https://pay.example.org/?token=${orderId}` },
      });
      expect(paypal.heard[0]?.headers['paypal-request-id']).toBe(`wp-order-${payment().payment_id}`);
    });

    it('failed when it is rejected, and is unknown without an answer', async () => {
      const refused = denial(422, 'UNPROCESSABLE_ENTITY', 'PAYEE_ACCOUNT_RESTRICTED');
      expect(await lost(refused)).toMatchObject({ kind: 'failed', code: 'PAYEE_ACCOUNT_RESTRICTED' });
      for (const reply of [html(503), html(429)])
        expect(await lost(reply)).toMatchObject({ kind: 'unknown' });
    });

    it('expires after six hours, and is not created any more', async () => {
      expect(await lost({ status: 200, json: order('CREATED') }, aged(6.1))).toMatchObject({
        kind: 'failed',
        code: 'ORDER_EXPIRED',
      });
      expect(paypal.heard).toEqual([]);
    });
  });

  describe('that the provider no longer has', () => {
    const gone = (row = payment(), timeScale = 1) => {
      paypal.answers(query, denial(404, 'RESOURCE_NOT_FOUND', 'INVALID_RESOURCE_ID'));
      return provider(paypal.url, { rail: { timeScale } }).order.retrieveStatus(row, call);
    };

    it('is a failure to be seen twice while it should still exist', async () => {
      expect(await gone(payment(aged(5.9)))).toMatchObject({
        kind: 'failed',
        code: 'ORDER_EXPIRED',
        tentative: true,
      });
    });

    it('expires after six hours, of sandbox time in the sandbox', async () => {
      const expired = { kind: 'failed', code: 'ORDER_EXPIRED' };
      for (const providerResult of [await gone(payment(aged(6.1))), await gone(payment(aged(0.2)), 60)]) {
        expect(providerResult).toMatchObject(expired);
        expect(providerResult).not.toHaveProperty('tentative');
      }
    });
  });

  it('expires after six hours without an approval, even if the provider still has it', async () => {
    const old = payment(aged(6.1));
    expect(await found(order('PAYER_ACTION_REQUIRED'), old)).toMatchObject({
      kind: 'failed',
      code: 'ORDER_EXPIRED',
    });
    expect(await found(order('APPROVED'), old)).toMatchObject({ kind: 'open', approved: true });
    expect(await found(order('COMPLETED', { captures: [capture()] }), old)).toMatchObject({
      kind: 'succeeded',
    });
  });
});
