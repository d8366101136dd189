import type { SubmissionResult, ProviderResult } from '../../../src/domain/outcome';
import { boundedSubmission, boundedResult, boundedEvent } from '../../../src/rail-kit/rail';
import { storeNotification } from '../../../src/payments/resolve/inbox';
import { submitPayment } from '../../../src/payments/submit/submit-payment';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { review } from '../../../src/payments/resolve/review';
import { resultOfCallback, readCallback } from '../../../src/rails/stk/providers/daraja/notification-body';
import { insertPayment } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { fakeContext, type FakeContext } from '../../support/payments/fakes';

const long = 'x'.repeat(60_000);
const success: ProviderResult & { kind: 'succeeded' } = {
  kind: 'succeeded',
  code: '0',
  text: 'paid',
  providerReference: 'ref-1',
  receipt: 'RECEIPT1',
  currency: 'KES',
  amountMinor: 1_000n,
  details: { payer_phone: '254712345678', page: `https://pay.example/${'p'.repeat(1_900)}` },
};

describe("a provider's texts", () => {
  it('are stored unchanged if they fit', () => {
    expect(boundedResult(success)).toEqual(success);
    const accepted: SubmissionResult = { kind: 'accepted', providerReference: 'ref-1' };
    expect(boundedSubmission(accepted)).toEqual(accepted);
  });

  it('never become a partial id: an id that does not fit is dropped, with a note', () => {
    const details = { payer_phone: long, transaction_date: '20260101' };
    expect(boundedResult({ ...success, providerReference: long, receipt: `A\n`, details })).toEqual({
      kind: 'succeeded',
      code: '0',
      text: 'paid',
      currency: 'KES',
      amountMinor: 1_000n,
      details: { transaction_date: '20260101', left_out: 'reference, receipt, payer_phone' },
    });
  });

  it('are cut if they are only texts', () => {
    const reported = boundedResult({ ...success, code: long, text: long, currency: `KES${long}` });
    expect(reported).toMatchObject({ code: 'x'.repeat(64), text: 'x'.repeat(400) });
    expect(reported).not.toMatchObject({ currency: 'KES' });
  });

  it.each([10n ** 19n, -1n])('with an amount of %s minor units have no result', (amountMinor) => {
    expect(boundedResult({ ...success, amountMinor })).toMatchObject({ kind: 'unknown' });
  });

  it('in a notification with an invalid payment id belong to no payment', () => {
    expect(boundedEvent({ ...success, providerReference: long })).toMatchObject({ kind: 'unknown' });
    expect(boundedEvent(success)).toEqual(success);
  });

  it('contain no half characters, which no database stores', () => {
    expect(boundedResult({ ...success, details: { payer_phone: '\ud83d' } })).toMatchObject({
      details: { payer_phone: '\ufffd' },
    });
  });

  it('are no acceptance with an invalid reference', () => {
    expect(boundedSubmission({ kind: 'accepted', providerReference: long })).toMatchObject({
      kind: 'unknown',
    });
    const refused = { kind: 'refused', publicCode: 'CUSTOMER_BUSY', providerCode: long, text: long } as const;
    expect(boundedSubmission(refused)).toMatchObject({ providerCode: 'x'.repeat(64) });
  });
});

describe('a payment', () => {
  let database: TestDatabase;
  let context: FakeContext;
  beforeEach(async () => {
    database = await createTestDatabase();
    context = fakeContext(database.db);
    const deposit = context.rails.get('stk').operations.deposit;
    if (!deposit) throw new Error('the rail takes no deposits');
    deposit.readNotification = ({ body }) => {
      const callback = readCallback(body);
      return callback ? resultOfCallback(callback) : { kind: 'unknown', text: 'no callback' };
    };
  });
  afterEach(() => database.drop());

  const callback = (reference: string, changes: Record<string, unknown>, items: Record<string, unknown>) =>
    JSON.stringify({
      Body: {
        stkCallback: {
          MerchantRequestID: 'm-1',
          CheckoutRequestID: reference,
          ResultCode: 0,
          ResultDesc: 'done',
          ...changes,
          CallbackMetadata: {
            Item: Object.entries({
              Amount: 10,
              MpesaReceiptNumber: 'RECEIPT1',
              TransactionDate: 20260101000000,
              PhoneNumber: 254712345678,
              ...items,
            }).map(([Name, Value]) => ({ Name, Value })),
          },
        },
      },
    });

  it.each([
    ['MerchantRequestID', { MerchantRequestID: long }, {}],
    ['ResultDesc', { ResultDesc: long }, {}],
    ['ResultCode', { ResultCode: long }, {}],
    ['Amount', {}, { Amount: '9'.repeat(60_000) }],
    ['MpesaReceiptNumber', {}, { MpesaReceiptNumber: 'R'.repeat(121) }],
    ['TransactionDate', {}, { TransactionDate: long }],
    ['PhoneNumber', {}, { PhoneNumber: '\u0001'.repeat(60_000) }],
  ])('is settled although a callback with an invalid %s came first', async (_field, changes, items) => {
    const paymentId = await insertPayment(database.db, {
      requested_minor: '1000',
      instructed_minor: '1000',
    });
    await submitPayment(context, paymentId);
    const payment = await getPaymentOrThrow(database.db, paymentId);
    const reference = payment.provider_reference ?? '';
    const bodies = [callback(reference, changes, items), callback(reference, {}, {})];
    for (const body of bodies) {
      await storeNotification(context, 'stk', '127.0.0.1', {
        kind: 'take',
        isProven: false,
        eventKey: body,
        body,
        payment,
        acknowledgement: { status: 200, body: {} },
      });
    }
    context.provider.providerResult = {
      kind: 'succeeded',
      code: '0',
      text: 'done',
      providerReference: reference,
    };
    const ask = <T>(_rail: string, call: () => Promise<T>) => call();
    await review(context, { paymentId, cause: 'notification', patient: true, ask });
    expect(await getPaymentOrThrow(database.db, paymentId)).toMatchObject({
      state: 'succeeded',
      confirmed_minor: '1000',
    });
  });
});
