/** The result in a callback, whatever is missing in it. */
import { resultOfCallback, readCallback } from '../../../../src/rails/stk/providers/daraja/notification-body';

const reference = 'ws_CO_1';

describe('a callback', () => {
  const items = [
    { Name: 'Amount', Value: 1250.5 },
    { Name: 'MpesaReceiptNumber', Value: 'R1' },
    { Name: 'Balance' },
    { Name: 'TransactionDate', Value: 20260105120042 },
    { Name: 'PhoneNumber', Value: 254708374149 },
  ];
  const body = (changes: object = {}) =>
    JSON.stringify({
      Body: {
        stkCallback: {
          MerchantRequestID: '1-2-3',
          CheckoutRequestID: reference,
          ResultCode: 0,
          ResultDesc: 'paid',
          CallbackMetadata: { Item: items },
          ...changes,
        },
      },
    });
  const found = (changes: object = {}) => {
    const callback = readCallback(body(changes));
    if (!callback) throw new Error('not a callback');
    return resultOfCallback(callback);
  };

  it('of a success has the amount, the payer and the time', () => {
    expect(found()).toEqual({
      kind: 'succeeded',
      code: '0',
      text: 'paid',
      amountMinor: 125_050n,
      currency: 'KES',
      receipt: 'R1',
      providerReference: reference,
      details: {
        merchant_request_id: '1-2-3',
        transaction_date: '20260105120042',
        payer_phone: '254708374149',
      },
    });
  });

  it('is read with amounts as texts, masked phone numbers and missing items', () => {
    const partial = [
      { Name: 'Amount', Value: '1250.00' },
      { Name: 'PhoneNumber', Value: '2547*****149' },
      { Name: 7 },
      null,
    ];
    expect(found({ CallbackMetadata: { Item: partial } })).toMatchObject({
      amountMinor: 125_000n,
      details: { payer_phone: '2547*****149' },
    });
    expect(found({ CallbackMetadata: undefined })).not.toHaveProperty('amountMinor');
    expect(found({ CallbackMetadata: { Item: 'none' } })).not.toHaveProperty('receipt');
  });

  it.each([
    [1032, 'cancelled'],
    ['1037', 'timed_out'],
    [1, 'failed'],
    [777, 'failed'],
    ['SFC_IC0003', 'failed'],
    [34, 'open'],
  ])('with ResultCode %j is %s', (ResultCode, kind) => {
    expect(found({ ResultCode, CallbackMetadata: undefined }).kind).toBe(kind);
  });

  it('with "still under processing" is not final', () => {
    const ResultDesc = 'The transaction is still under processing';
    expect(found({ ResultCode: 1037, ResultDesc, CallbackMetadata: undefined }).kind).toBe('open');
  });

  it('about our own configuration opens a case, too', () => {
    expect(found({ ResultCode: 2028, CallbackMetadata: undefined })).toMatchObject({
      kind: 'failed',
      ourAccount: true,
    });
  });

  it.each([
    '',
    'null',
    '[]',
    '<html>',
    '{}',
    '{"Body":{"stkCallback":null}}',
    body({ ResultCode: true }),
    body({ CheckoutRequestID: '' }),
  ])('is not %s', (text) => {
    expect(readCallback(text)).toBeUndefined();
  });
});
