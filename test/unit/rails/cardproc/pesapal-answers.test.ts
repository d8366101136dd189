/** The meaning of the processor's answers, line by line. */
import { resultOf } from '../../../../src/rails/cardproc/providers/pesapal/order-status';
import { readSubmission } from '../../../../src/rails/cardproc/providers/pesapal/submission';
import type { PesapalAnswer } from '../../../../src/rails/cardproc/providers/pesapal/calls';
import type { PaymentRow } from '../../../../src/store/tables';

const trackingId = '96a50000-1111-4222-8333-000000000002';
const submittedAs = 'cp-ABCDEFGHIJKLMNOPQRSTUVWXYZ-1';
const payment = {
  provider_reference: trackingId,
  instructed_currency: 'KES',
  instructed_minor: '150000',
  details: { submitted_as: submittedAs },
} as unknown as PaymentRow;

/** A paid order, with the test's changes. */
const paid = (changes: Record<string, unknown> = {}) => ({
  payment_method: 'Visa',
  amount: 1500.0,
  created_date: '2026-01-05T12:00:01.75',
  confirmation_code: '6513008693186320103009',
  order_tracking_id: trackingId,
  payment_status_description: 'Completed',
  description: null,
  message: 'Request processed successfully',
  payment_account: '411111**1111',
  call_back_url: 'https://shop.example.org/paid',
  status_code: 1,
  merchant_reference: submittedAs,
  payment_status_code: '',
  currency: 'KES',
  error: { error_type: null, code: null, message: null, call_back_url: null },
  status: '200',
  ...changes,
});
const pendingError = {
  error_type: 'api_error',
  code: 'payment_details_not_found',
  message: 'Pending Payment',
};
const providerResult = (changes: Record<string, unknown> = {}) => resultOf(paid(changes), payment);

describe('the answer of the status call', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['paid', {}, 'succeeded'],
    ['paid, in capitals', { payment_status_description: 'COMPLETED' }, 'succeeded'],
    ['paid, with a code as a text', { status_code: '1' }, 'succeeded'],
    ['paid, with its status as a number', { status: 200 }, 'succeeded'],
    ['paid, with no error at all', { error: null }, 'succeeded'],
    ['paid, without the tracking id', { order_tracking_id: null }, 'succeeded'],
    ['failed', { status_code: 2, payment_status_description: 'FAILED' }, 'failed'],
    ['reversed', { status_code: 3, payment_status_description: 'REVERSED' }, 'reversed'],
    [
      'not paid yet',
      { status_code: 0, payment_status_description: 'INVALID', error: pendingError, status: '500' },
      'open',
    ],
    ['not paid yet, without an error', { status_code: 0, payment_status_description: 'INVALID' }, 'open'],
    ['not paid yet, with another error', { status_code: 0, error: { code: 'odd' }, status: '500' }, 'open'],
    ['an older word', { status_code: null, payment_status_description: 'Pending' }, 'open'],
    ['a code that nobody knows', { status_code: 4 }, 'unknown'],
    ['a member of every object', { status_code: 'toString' }, 'unknown'],
    ['no code, whatever is described', { status_code: null }, 'unknown'],
    ['paid, and an error', { error: { code: 'api_error', message: 'x' }, status: '500' }, 'unknown'],
    ['paid, with a status of 500', { status: '500' }, 'unknown'],
    ['another order of ours', { merchant_reference: 'cp-ABCDEFGHIJKLMNOPQRSTUVWXYZ-2' }, 'unknown'],
    ['another tracking id', { order_tracking_id: '96a50000-1111-4222-8333-000000000003' }, 'unknown'],
    ['no reference', { merchant_reference: null }, 'unknown'],
    ['no currency', { currency: null }, 'unknown'],
    ['no amount', { amount: null }, 'unknown'],
    ['an amount that is none', { amount: '1,500.00' }, 'unknown'],
    ['a reversal of no amount', { status_code: 3, amount: null }, 'unknown'],
  ])('%s', (_what, changes, kind) => {
    expect(providerResult(changes).kind).toBe(kind);
  });

  it.each([undefined, null, [], 'text', 7, { error: pendingError, status: '500' }])(
    '%j is no answer',
    (json) => {
      expect(resultOf(json, payment).kind).toBe('unknown');
    },
  );

  it('contains the paid amount, the method and the confirmation code, as received', () => {
    expect(providerResult()).toEqual({
      kind: 'succeeded',
      code: 'COMPLETED',
      text: 'Visa',
      currency: 'KES',
      amountMinor: 150_000n,
      providerReference: trackingId,
      details: { payment_method: 'Visa', confirmation_code: '6513008693186320103009' },
    });
  });

  it.each([
    [{ amount: 1499 }, { amountMinor: 149_900n, currency: 'KES' }],
    [
      { amount: '1500.00', currency: 'UGX' },
      { amountMinor: 1_500n, currency: 'UGX' },
    ],
    [{ currency: 'kes' }, { amountMinor: 150_000n, currency: 'KES' }],
  ])('returns %j unchanged, for the engine to compare', (changes, reported) => {
    expect(providerResult(changes)).toMatchObject(reported);
  });

  it('an unsupported currency has no amount, so that an operator reviews it', () => {
    expect(providerResult({ currency: 'XAU' })).not.toHaveProperty('amountMinor');
    expect(providerResult({ currency: 'XAU' })).toMatchObject({ kind: 'succeeded', currency: 'XAU' });
  });

  it('a reversal reverses the whole amount', () => {
    expect(providerResult({ status_code: 3 })).toMatchObject({
      paidMinor: 150_000n,
      returnedMinor: 150_000n,
    });
  });

  it.each([
    ['completed', { amount: 1000 }],
    ['reversed', { status_code: 3, amount: 500 }],
  ])('%s with less than the booked amount means a partial refund of unknown amount', (word, changes) => {
    const booked = { ...payment, state: 'succeeded', confirmed_minor: '150000' } as typeof payment;
    expect(resultOf(paid(changes), booked)).toMatchObject({
      kind: 'refunded',
      unclear: true,
      returnedMinor: 0n,
      code: `PART_${word.toUpperCase()}_${String(changes.amount * 100)}`,
    });
    expect(resultOf(paid({ ...changes, amount: 1500 }), booked)).not.toHaveProperty('unclear');
    expect(providerResult(changes)).not.toHaveProperty('unclear');
  });

  it.each([
    [{ description: 'Insufficient funds' }, 'Insufficient funds'],
    [{ payment_status_code: 'request_terminated_by_user', description: '' }, 'request_terminated_by_user'],
    [{ payment_status_code: 'declined', description: 'Ask your bank' }, 'declined'],
    [{ payment_status_code: null, description: null }, 'The payment failed'],
  ])('a failure has its reason: %j', (reason, text) => {
    expect(providerResult({ status_code: 2, ...reason })).toMatchObject({ code: 'FAILED', text });
  });
});

describe('the result of an order submission', () => {
  const answered = (json: unknown, status = 200): PesapalAnswer => ({
    kind: 'answered',
    status,
    json,
    text: 'as it was written',
  });
  const made = (changes: Record<string, unknown> = {}) => ({
    order_tracking_id: trackingId,
    merchant_reference: submittedAs,
    redirect_url: 'https://pay.example/iframe?OrderTrackingId=1',
    error: null,
    status: '200',
    ...changes,
  });
  const failed = (code: string, message = '') =>
    made({ order_tracking_id: null, redirect_url: null, error: { code, message }, status: '500' });
  const read = (json: unknown, status?: number) =>
    readSubmission(answered(json, status), submittedAs, 'sandbox');

  it.each(['http://pay.example/1', 'javascript:alert(1)', `https://pay.example/${'x'.repeat(2_000)}`])(
    'is unknown if the page in live is %.30s',
    (redirect_url) => {
      expect(readSubmission(answered(made({ redirect_url })), submittedAs, 'live').kind).toBe('unknown');
    },
  );

  it('is accepted with the payment page', () => {
    expect(read(made())).toEqual({
      kind: 'accepted',
      providerReference: trackingId,
      details: { redirect_url: 'https://pay.example/iframe?OrderTrackingId=1', submitted_as: submittedAs },
    });
  });

  it.each<[string, unknown, number | undefined]>([
    ['a server error', made(), 500],
    ['a gateway error', undefined, 502],
    ['no JSON', undefined, 200],
    ['no tracking id', made({ order_tracking_id: null }), 200],
    ['no page', made({ redirect_url: '' }), 200],
    ['a page that is none', made({ redirect_url: 'javascript:alert(1)' }), 200],
    ['another order', made({ merchant_reference: 'cp-OTHER-1' }), 200],
  ])('%s proves nothing', (_what, json, status) => {
    expect(read(json, status).kind).toBe('unknown');
  });

  it.each([
    ['maximum_amount_limit_exceeded', '', 'AMOUNT_OUT_OF_RANGE'],
    ['invalid_api_request_parameters', 'currency is not supported', 'UNSUPPORTED_CURRENCY'],
    ['invalid_api_request_parameters', 'billing_address.phone_number is wrong', 'PROVIDER_REJECTED_REQUEST'],
    ['invalid_consumer_key_or_secret_provided', '', 'PROVIDER_ACCOUNT_REFUSED'],
    ['processing_error', 'Unable to process the order', 'PROVIDER_TEMPORARILY_UNAVAILABLE'],
    ['', 'what is this', 'PROVIDER_TEMPORARILY_UNAVAILABLE'],
  ])('the error %s %s is %s, with HTTP 200 and 400', (code, message, publicCode) => {
    expect(read(failed(code, message))).toMatchObject({ kind: 'refused', publicCode });
    expect(read(failed(code, message), 400)).toMatchObject({ kind: 'refused', publicCode });
  });

  it('a used id, or too many requests, allow another attempt', () => {
    expect(read(failed('duplicate_order_id', 'id was used')).kind).toBe('not_sent');
    expect(read(undefined, 429).kind).toBe('not_sent');
  });

  it.each([
    ['InvalidIpnId', '', 200],
    ['InvalidIpnId', 'The merchant_account has a limit of its own', 200],
    ['invalid_ipn_id', 'Invalid', 200],
    ['invalid_api_request_parameters', 'Invalid IPN URL ID provided.Check format and try again', 200],
    ['invalid_api_request_parameters', 'notification_id is not that of an IPN URL', 400],
    ['processing_error', 'The IPN ID is not known', 404],
  ])('the error %s %s with HTTP %d: the notification address must be registered again', (...error) => {
    const [code, message, status] = error;
    expect(read(failed(code, message), status).kind).toBe('unknown_address');
  });

  it.each([
    ['processing_error', 'The IPN could not be reached', 200],
    ['processing_error', 'The IPN could not be reached', 400],
    ['processing_error', 'notification_id could not be looked up', 200],
    ['ipn_service_unavailable', 'Try again later', 400],
  ])('the error %s %s with HTTP %d keeps the notification address', (code, message, status) => {
    expect(read(failed(code, message), status)).toMatchObject({
      kind: 'refused',
      publicCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
    });
  });

  it.each<[PesapalAnswer, string]>([
    [{ kind: 'not_sent', text: 'ECONNREFUSED' }, 'not_sent'],
    [{ kind: 'unknown', text: 'ECONNRESET' }, 'unknown'],
    [{ kind: 'account_refused', text: 'a new token was rejected' }, 'refused'],
  ])('%j', (answer, kind) => {
    expect(readSubmission(answer, submittedAs, 'sandbox').kind).toBe(kind);
  });
});
