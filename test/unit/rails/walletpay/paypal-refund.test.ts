/** The meaning of the provider's answers about a refund that a merchant requested. */
import type { PaymentRow } from '../../../../src/store/tables';
import {
  call,
  capture,
  captureId,
  html,
  order,
  orderId,
  payment,
  paymentId,
  provider,
  startScriptedProvider,
  usd,
  type Reply,
  type ScriptedProvider,
} from './paypal-support';

const depositId = '2c9a2c61-5f44-4a3e-9c1d-7d2e8f60a222';
const refundId = '1JU08902781691411';
const day = 86_400_000;
const sending = `POST /v2/payments/captures/${captureId}/refund`;
const asking = `GET /v2/payments/refunds/${refundId}`;
const checking = `GET /v2/checkout/orders/${orderId}`;
let paypal: ScriptedProvider;

beforeAll(async () => {
  paypal = await startScriptedProvider();
});
beforeEach(() => paypal.reset());
afterAll(() => paypal.close());

const row = (changes: Partial<PaymentRow> = {}) =>
  payment({
    kind: 'refund',
    parent_id: depositId,
    provider_reference: null,
    details: { capture_id: captureId, walletpay_order_id: orderId },
    ...changes,
  });
const refund = (changes: Record<string, unknown> = {}) => ({
  id: refundId,
  status: 'COMPLETED',
  amount: usd('12.50'),
  custom_id: paymentId,
  invoice_id: paymentId,
  links: [{ rel: 'up', href: `https://api.example.org/v2/payments/captures/${captureId}` }],
  ...changes,
});
const denial = (issue: string, status = 422): Reply => ({
  status,
  json: {
    name: 'UNPROCESSABLE_ENTITY',
    message: 'no',
    debug_id: 'd',
    details: [{ issue, description: 'No.' }],
  },
});
/** The order as shown: its capture's status, and its refunds. */
const shown = (status: string, refunds?: unknown): Reply => {
  const named = { custom_id: depositId, invoice_id: depositId };
  const shownOrder = order('COMPLETED', { captures: [capture({ status, ...named })], refunds });
  const [unit] = shownOrder['purchase_units'] as [Record<string, unknown>];

  return { status: 200, json: { ...shownOrder, purchase_units: [{ ...unit, ...named }] } };
};
const operation = () => provider(paypal.url).refund;
const sent = () => paypal.heard.filter(({ method }) => method === 'POST');

describe('sending a refund', () => {
  it('contains the amount and our refund id, with one key', async () => {
    paypal.answers(sending, { status: 201, json: refund({ status: 'PENDING' }) });
    expect(await operation().initiate(row(), call)).toMatchObject({
      kind: 'accepted',
      providerReference: refundId,
      details: { refund_status: 'PENDING' },
    });
    expect(sent()).toMatchObject([
      {
        body: {
          amount: { currency_code: 'USD', value: '12.50' },
          custom_id: paymentId,
          invoice_id: paymentId,
        },
        headers: { 'paypal-request-id': `wp-refund-${paymentId}`, prefer: 'return=representation' },
      },
    ]);
  });

  it.each<[string, Reply]>([
    ['closed', 'close'],
    ['a 500', { status: 500, json: { name: 'INTERNAL_SERVER_ERROR' } }],
    ['a page', html(502)],
    ['in progress', denial('PREVIOUS_REQUEST_IN_PROGRESS', 409)],
    ['of another name', { status: 201, json: refund({ custom_id: 'another' }) }],
  ])('is repeated with its key when the answer is %s', async (_what, first) => {
    paypal.answers(sending, first, { status: 200, json: refund() });
    expect(await operation().initiate(row(), call)).toMatchObject({ kind: 'accepted' });
    expect(new Set(sent().map(({ headers }) => headers['paypal-request-id'])).size).toBe(1);
    expect(sent()).toHaveLength(2);
  });

  it('is unknown when only its repeat is rejected', async () => {
    paypal.answers(sending, 'close', denial('REFUND_AMOUNT_EXCEEDED'));
    expect(await operation().initiate(row(), call)).toMatchObject({ kind: 'unknown' });
    paypal.answers(sending, denial('REFUND_AMOUNT_EXCEEDED'));
    expect(await operation().recover(row(), call)).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['CAPTURE_FULLY_REFUNDED', 'REFUND_EXCEEDS_REMAINDER'],
    ['REFUND_AMOUNT_EXCEEDED', 'REFUND_EXCEEDS_REMAINDER'],
    ['REFUND_TIME_LIMIT_EXCEEDED', 'REFUND_TOO_LATE'],
    ['REFUND_FAILED_INSUFFICIENT_FUNDS', 'PROVIDER_ACCOUNT_REFUSED'],
    ['TRANSACTION_DISPUTED', 'PROVIDER_REJECTED_REQUEST'],
    ['MAX_NUMBER_OF_REFUNDS_EXCEEDED', 'PROVIDER_REJECTED_REQUEST'],
  ])('is rejected for %s: %s', async (providerCode, publicCode) => {
    paypal.answers(sending, denial(providerCode));
    expect(await operation().initiate(row(), call)).toMatchObject({
      kind: 'refused',
      publicCode,
      providerCode,
    });
  });

  it('is unknown if a refund already has our id', async () => {
    paypal.answers(sending, denial('DUPLICATE_INVOICE_ID'));
    expect(await operation().initiate(row(), call)).toMatchObject({ kind: 'unknown' });
  });
});

describe('querying a refund by its id', () => {
  const ask = (json: unknown) => {
    paypal.answers(asking, { status: 200, json });
    return operation().retrieveStatus(row({ provider_reference: refundId }), call);
  };

  it('returns its completion and amount', async () => {
    expect(await ask(refund())).toMatchObject({
      kind: 'succeeded',
      amountMinor: 1_250n,
      currency: 'USD',
      providerReference: refundId,
    });
    // The provider may show it with its order's ids.
    expect(await ask(refund({ custom_id: depositId, invoice_id: depositId }))).toMatchObject({
      kind: 'succeeded',
    });
  });

  it('is open while it is pending, and failed when it is', async () => {
    expect(await ask(refund({ status: 'PENDING', status_details: { reason: 'ECHECK' } }))).toMatchObject({
      kind: 'open',
      details: { refund_status: 'PENDING', refund_reason: 'ECHECK' },
    });
    for (const status of ['FAILED', 'CANCELLED'])
      expect(await ask(refund({ status }))).toMatchObject({ kind: 'failed', code: `REFUND_${status}` });
  });

  it.each([
    ['of another', { invoice_id: 'another' }],
    ['of another capture', { links: [{ rel: 'up', href: 'https://api.example.org/captures/OTHER' }] }],
    ['without an amount', { amount: undefined }],
    ['in a status nobody knows', { status: 'SHIPPED' }],
  ])('is unknown for one %s', async (_what, changes) => {
    expect(await ask(refund(changes))).toMatchObject({ kind: 'unknown' });
  });
});

describe('querying a refund without its id', () => {
  const ask = (changes: Partial<PaymentRow> = {}) => operation().retrieveStatus(row(changes), call);

  it('finds it by our id in its order, and sends nothing', async () => {
    paypal.answers(checking, shown('REFUNDED', [refund()]));
    expect(await ask()).toMatchObject({ kind: 'succeeded', providerReference: refundId });
    expect(sent()).toEqual([]);
  });

  it('sends it again if the order does not list it, while its key is known', async () => {
    paypal.answers(checking, shown('COMPLETED'));
    paypal.answers(sending, { status: 200, json: refund() });
    expect(await ask({ created_at: new Date(Date.now() - 43 * day) })).toMatchObject({
      kind: 'open',
      providerReference: refundId,
    });
  });

  it('accepts a rejection only when it is repeated', async () => {
    paypal.answers(checking, shown('COMPLETED'));
    paypal.answers(sending, denial('TRANSACTION_DISPUTED'));
    expect(await ask()).toMatchObject({ kind: 'failed', tentative: true, code: 'TRANSACTION_DISPUTED' });
    const other = refund({ id: 'R9', amount: usd('0.01'), custom_id: depositId, invoice_id: depositId });
    paypal.answers(checking, shown('PARTIALLY_REFUNDED', [other]));
    paypal.answers(sending, denial('REFUND_AMOUNT_EXCEEDED'));
    expect(await ask()).toMatchObject({ kind: 'failed', tentative: true, code: 'REFUND_EXCEEDS_REMAINDER' });
  });

  it.each([
    ['the order shows that more was given back than it lists', 'REFUNDED', denial('CAPTURE_FULLY_REFUNDED')],
    ['the order still shows all of it', 'COMPLETED', denial('CAPTURE_FULLY_REFUNDED')],
    ['it is about what our account holds', 'COMPLETED', denial('REFUND_FAILED_INSUFFICIENT_FUNDS')],
    ['it is about what our account may', 'COMPLETED', denial('NOT_AUTHORIZED', 403)],
    ['the capture is not found', 'COMPLETED', denial('INVALID_RESOURCE_ID', 404)],
  ])('does not accept a rejection if %s', async (_what, status, no) => {
    paypal.answers(checking, shown(status));
    paypal.answers(sending, no);
    expect(await ask()).toMatchObject({ kind: 'unknown' });
  });

  it('uses only the order once the key is forgotten, if that lists all', async () => {
    const created_at = new Date(Date.now() - 45 * day);
    paypal.answers(checking, shown('COMPLETED'));
    expect(await ask({ created_at })).toMatchObject({
      kind: 'failed',
      tentative: true,
      code: 'REFUND_NOT_MADE',
    });
    paypal.answers(checking, shown('REFUNDED'));
    expect(await ask({ created_at })).toMatchObject({ kind: 'unknown' });
    expect(await operation().recover(row({ created_at }), call)).toMatchObject({ kind: 'unknown' });
    expect(sent()).toEqual([]);
  });

  it('is unknown if the order cannot be read, or is another’s', async () => {
    paypal.answers(checking, html(503));
    expect(await ask()).toMatchObject({ kind: 'unknown' });
    paypal.answers(checking, { status: 200, json: order('COMPLETED', { captures: [capture()] }) });
    expect(await ask()).toMatchObject({ kind: 'unknown' });
    expect(sent()).toEqual([]);
  });
});
