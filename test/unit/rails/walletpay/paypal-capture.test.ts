/** Capturing an approved order: the request to the provider, and the meaning of its answers, line by line. */
import {
  aged,
  capture,
  captureCall,
  captureId,
  html,
  order,
  orderId,
  payment,
  paymentId,
  provider,
  denial,
  startScriptedProvider,
  type Logged,
  type Reply,
  type ScriptedProvider,
  railSettings,
} from './paypal-support';
import { operationOf } from '../../../../src/rail-kit/rail';
import { walletpay } from '../../../../src/rails/walletpay';
import { isBeingCaptured } from '../../../../src/rails/walletpay/providers/paypal/capture-issues';

const path = `/v2/checkout/orders/${orderId}/capture`;
const query = `GET /v2/checkout/orders/${orderId}`;

let paypal: ScriptedProvider;

beforeAll(async () => {
  paypal = await startScriptedProvider();
});
beforeEach(() => paypal.reset());
afterAll(() => paypal.close());

const captured = (changes: Record<string, unknown> = {}) =>
  order('COMPLETED', { captures: [capture(changes)] });
const take = (reply: Reply, { row = payment(), logged = [] as Logged[] } = {}) => {
  paypal.answers(`POST ${path}`, reply);
  return provider(paypal.url, { logged }).order.capture(row, captureCall);
};
const refused = (issue: string) => denial(422, 'UNPROCESSABLE_ENTITY', issue, 'in words');
const alertsAmong = (logged: Logged[]) => logged.filter(({ level }) => level === 'error');

describe('a capture', () => {
  it('is sent with an empty body and the key of its attempt', async () => {
    await take({ status: 201, json: captured() });
    expect(paypal.heard).toMatchObject([
      { method: 'POST', path, body: {}, headers: { 'paypal-request-id': `wp-capture-${paymentId}-1` } },
    ]);
  });

  it.each([201, 200])('answered with %s is paid', async (status) => {
    expect(await take({ status, json: captured() })).toMatchObject({
      kind: 'succeeded',
      amountMinor: 1_250n,
      currency: 'USD',
      receipt: captureId,
      providerReference: orderId,
      details: { capture_id: captureId, capture_status: 'COMPLETED' },
    });
  });

  it('is accepted by the ids in its capture, if the order has none', async () => {
    const json = order('COMPLETED', undefined, {
      purchase_units: [{ reference_id: 'default', payments: { captures: [capture()] } }],
    });
    expect(await take({ status: 201, json })).toMatchObject({ kind: 'succeeded' });
  });

  it.each([
    ['PENDING', { status_details: { reason: 'PENDING_REVIEW' } }, { kind: 'open' }],
    ['DECLINED', {}, { kind: 'failed', code: 'CAPTURE_DECLINED' }],
    ['FAILED', {}, { kind: 'failed', code: 'CAPTURE_FAILED' }],
  ])('that is %s has the result in the order', async (status, changes, providerResult) => {
    expect(await take({ status: 201, json: captured({ status, ...changes }) })).toMatchObject(providerResult);
  });

  it.each<[string, Reply]>([
    ['500', denial(500, 'INTERNAL_SERVER_ERROR')],
    ['a page of 502', html(502)],
    ['a page of 200', html(200)],
    ['a page of 404', html(404)],
    ['a page of 422', html(422)],
    ['a connection that ends', 'close'],
    ['409', denial(409, 'PREVIOUS_REQUEST_IN_PROGRESS')],
    ['429', denial(429, 'RATE_LIMIT_REACHED')],
    ['403', denial(403, 'NOT_AUTHORIZED')],
    ['401', denial(401, 'AUTHENTICATION_FAILURE')],
    ['an order without a capture', { status: 201, json: order('COMPLETED') }],
    ['an order that still waits', { status: 201, json: order('APPROVED') }],
    ['another payment’s capture', { status: 201, json: captured({ custom_id: 'tx-2' }) }],
    ['nothing', { status: 201, json: {} }],
  ])('answered with %s is unknown: it may have been accepted', async (_what, reply) => {
    expect(await take(reply)).toMatchObject({ kind: 'unknown' });
  });

  it('of an order that the provider no longer has is a failure, to be seen twice while it is young', async () => {
    const gone = denial(404, 'RESOURCE_NOT_FOUND');
    expect(await take(gone)).toMatchObject({ kind: 'failed', code: 'ORDER_EXPIRED', tentative: true });
    expect(await take(gone, { row: payment(aged(7)) })).not.toHaveProperty('tentative');
  });

  it('without an order is not sent', async () => {
    const row = payment({ provider_reference: null });
    expect(await take({ status: 201, json: captured() }, { row })).toMatchObject({ kind: 'unknown' });
    expect(paypal.heard).toEqual([]);
  });
});

describe('a capture rejected with', () => {
  it.each([
    ['ORDER_NOT_APPROVED', { declined: true }],
    ['PAYER_ACTION_REQUIRED', { declined: true }],
    ['INSTRUMENT_DECLINED', { declined: true }],
    ['REDIRECT_PAYER_FOR_ALTERNATE_FUNDING', { declined: true }],
    ['NEVER_SEEN', { declined: true }],
    ['ORDER_COMPLETION_IN_PROGRESS', {}],
  ])('%s leaves the payment open, and stores the reason', async (issue, attempt) => {
    expect(await take(refused(issue))).toEqual({
      kind: 'open',
      ...attempt,
      text: issue,
      details: { capture_reason: issue },
    });
  });

  it.each([
    'TRANSACTION_REFUSED',
    'PAYER_CANNOT_PAY',
    'PAYER_ACCOUNT_RESTRICTED',
    'PAYER_ACCOUNT_LOCKED_OR_CLOSED',
    'COMPLIANCE_VIOLATION',
    'TRANSACTION_LIMIT_EXCEEDED',
    'TRANSACTION_RECEIVING_LIMIT_EXCEEDED',
    'TRANSACTION_BLOCKED_BY_PAYEE',
    'PAYEE_BLOCKED_TRANSACTION',
    'MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED',
    'DOMESTIC_TRANSACTION_REQUIRED',
  ])('%s failed, with that code, and no operator is notified', async (issue) => {
    const logged: Logged[] = [];
    expect(await take(refused(issue), { logged })).toEqual({
      kind: 'failed',
      code: issue,
      text: 'in words',
      details: { capture_reason: issue },
    });
    expect(alertsAmong(logged)).toEqual([]);
  });

  it.each(['AUTH_CAPTURE_NOT_ENABLED', 'PAYEE_ACCOUNT_RESTRICTED', 'PAYEE_NOT_ENABLED_FOR_CARD_PROCESSING'])(
    '%s failed, and operators are notified',
    async (issue) => {
      const logged: Logged[] = [];
      expect(await take(refused(issue), { logged })).toMatchObject({ kind: 'failed', code: issue });
      expect(alertsAmong(logged)).toMatchObject([{ fields: { code: issue, payment_id: paymentId } }]);
    },
  );

  describe('ORDER_ALREADY_CAPTURED', () => {
    const answered = (json: unknown) => {
      paypal.answers(query, { status: 200, json });
      return take(refused('ORDER_ALREADY_CAPTURED'));
    };

    it('adopts the capture in the order', async () => {
      expect(await answered(captured())).toMatchObject({ kind: 'succeeded', receipt: captureId });
      expect(await answered(captured({ status: 'DECLINED' }))).toMatchObject({ kind: 'failed' });
    });

    it('is open if the order has none yet, and is not captured again', async () => {
      const providerResult = await answered(order('APPROVED'));
      expect(providerResult).toMatchObject({ kind: 'open' });
      expect(providerResult).not.toHaveProperty('approved');
      expect(isBeingCaptured({ ...(providerResult as { details?: Record<string, string> }).details })).toBe(
        true,
      );
    });

    it('and a capture in progress keep an order from expiring, and a declined one does not', async () => {
      const env = {
        ...{ WALLETPAY_BASE_URL: paypal.url, WALLETPAY_CLIENT_ID: 'client' },
        ...{ WALLETPAY_CLIENT_SECRET: 'secret', WALLETPAY_WEBHOOK_ID: 'WH-1' },
      };
      const { onTimeout } = operationOf(walletpay.create(railSettings({ env })), payment()).uncertainty;
      for (const [issue, then] of [
        ['ORDER_ALREADY_CAPTURED', 'wait'],
        ['ORDER_COMPLETION_IN_PROGRESS', 'wait'],
        ['INSTRUMENT_DECLINED', 'time_out'],
      ] as const) {
        paypal.answers(query, { status: 200, json: order('APPROVED') });
        expect(onTimeout(payment(), await take(refused(issue)))).toBe(then);
      }
    });

    it('is unknown if the order cannot be fetched', async () => {
      paypal.answers(query, html(500));
      expect(await take(refused('ORDER_ALREADY_CAPTURED'))).toMatchObject({ kind: 'unknown' });
    });
  });

  describe('DUPLICATE_INVOICE_ID', () => {
    it('adopts our own capture', async () => {
      paypal.answers(query, { status: 200, json: captured() });
      const logged: Logged[] = [];
      expect(await take(refused('DUPLICATE_INVOICE_ID'), { logged })).toMatchObject({ kind: 'succeeded' });
      expect(alertsAmong(logged)).toEqual([]);
    });

    it('failed if there is none, and operators are notified', async () => {
      paypal.answers(query, { status: 200, json: order('APPROVED') });
      const logged: Logged[] = [];
      expect(await take(refused('DUPLICATE_INVOICE_ID'), { logged })).toMatchObject({
        kind: 'failed',
        code: 'DUPLICATE_INVOICE_ID',
      });
      expect(alertsAmong(logged)).toHaveLength(1);
    });

    it('is unknown if the order cannot be fetched', async () => {
      paypal.answers(query, 'close');
      expect(await take(refused('DUPLICATE_INVOICE_ID'))).toMatchObject({ kind: 'unknown' });
    });
  });
});
