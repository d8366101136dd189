import {
  resultOfStatus,
  readStatusSubmission,
  readStatusResult,
} from '../../../../src/rails/stk/providers/daraja/transaction-status';

/** A result as in Safaricom's documentation of Transaction Status, and as in public results of prompts. */
const parameters = [
  { Key: 'DebitPartyName', Value: '254708374149 - John Doe' },
  { Key: 'OriginatorConversationID', Value: '6b16-43f4-a9f6-8e81ad29eeab2987739' },
  { Key: 'InitiatedTime', Value: 20250117170614 },
  { Key: 'CreditPartyCharges' },
  { Key: 'TransactionReason' },
  { Key: 'ReasonType', Value: 'Pay Bill Online' },
  { Key: 'TransactionStatus', Value: 'Completed' },
  { Key: 'FinalisedTime', Value: 20250117170614 },
  { Key: 'Amount', Value: 1.0 },
  { Key: 'ReceiptNo', Value: 'TAH5J2K991' },
];
const resultWith = (changes: object = {}, reported: unknown = parameters) =>
  JSON.stringify({
    Result: {
      ResultType: 0,
      ResultCode: 0,
      ResultDesc: 'The service request is processed successfully.',
      TransactionID: 'TAH0000000',
      ResultParameters: { ResultParameter: reported },
      ...changes,
    },
  });
const found = (body: string) => {
  const result = readStatusResult(body);
  return result && resultOfStatus(result);
};
const without = (key: string) => parameters.filter((each) => each.Key !== key);

describe('the result of Transaction Status', () => {
  it('has the receipt, the amount and the time', () => {
    expect(found(resultWith())).toEqual({
      kind: 'succeeded',
      code: '0',
      text: 'The service request is processed successfully.',
      currency: 'KES',
      amountMinor: 100n,
      receipt: 'TAH5J2K991',
      details: { transaction_date: '20250117170614' },
    });
    expect(readStatusResult(resultWith())?.parameters['OriginatorConversationID']).toBe(
      '6b16-43f4-a9f6-8e81ad29eeab2987739',
    );
  });

  it.each([
    ['texts in place of numbers', resultWith({ ResultCode: '0' })],
    ['no moment', resultWith({}, without('FinalisedTime'))],
  ])('is read with %s', (_what, body) => {
    expect(found(body)).toMatchObject({ kind: 'succeeded', receipt: 'TAH5J2K991' });
  });

  it.each([
    ['an operator that is not known', resultWith({ ResultCode: 'SFC_IC0003', ResultParameters: undefined })],
    ['a wrong initiator', resultWith({ ResultCode: 2001 })],
    ['no receipt', resultWith({}, without('ReceiptNo'))],
    ['no amount, by which it is seen to be about this payment', resultWith({}, without('Amount'))],
    [
      'a transaction under way',
      resultWith({}, [...parameters, { Key: 'TransactionStatus', Value: 'Pending' }]),
    ],
    ['one parameter alone', resultWith({}, parameters[0])],
  ])('leaves the receipt missing with %s', (_what, body) => {
    expect(found(body)).toMatchObject({ kind: 'unknown' });
  });

  it.each(['', '[]', '{"Body":{}}', '{"Result":{}}', '{"Result":null}'])('is not %s', (body) => {
    expect(found(body)).toBeUndefined();
  });
});

describe('the query', () => {
  it.each([
    [200, { ResponseCode: '0' }, 'asked'],
    [200, { ResponseCode: '1' }, 'not_asked'],
    [400, { errorCode: '400.002.02', errorMessage: 'Bad Request - Invalid TransactionID' }, 'not_asked'],
    [500, undefined, 'not_asked'],
  ])('answered with %d %j is %s', (status, json, kind) => {
    const text = json === undefined ? '<html>' : JSON.stringify(json);
    expect(readStatusSubmission({ kind: 'answered', status, json, text }).kind).toBe(kind);
  });
});
