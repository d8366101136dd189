/** The meaning of the provider's rejections, line by line. */
import { readSubmission } from '../../../../src/rails/momo/providers/pawapay/answers';
import { failureOf } from '../../../../src/rails/momo/providers/pawapay/failure-codes';
import {
  readTransaction,
  resultOf,
  type Transaction,
} from '../../../../src/rails/momo/providers/pawapay/transaction';
import type { ProviderResponse } from '../../../../src/rail-kit/provider-http';

const id = '0b9a2c61-5f44-4a3e-9c1d-7d2e8f60a111';
const answered = (status: number, json: unknown): ProviderResponse => ({
  kind: 'answered',
  status,
  json,
  text: JSON.stringify(json),
});
const rejected = (failureCode: string, failureMessage: string) =>
  answered(200, { depositId: id, status: 'REJECTED', failureReason: { failureCode, failureMessage } });

describe('an acceptance of the mobile-money provider', () => {
  it.each([
    ['ACCEPTED', 'accepted'],
    ['ENQUEUED', 'queued'],
  ])('%s is %s, and the provider has it from now on', (status, kind) => {
    expect(readSubmission(answered(200, { payoutId: id, status }), id)).toMatchObject({
      kind,
      providerReference: id,
      details: { received_there: 'yes' },
    });
  });

  it.each(['PROCESSING', 'COMPLETED', 'FAILED', 'constructor'])(
    '%s is not accepted: the status is queried, and it never ends the payment',
    (status) => {
      expect(readSubmission(answered(200, { payoutId: id, status }), id).kind).toBe('unknown');
    },
  );
});

describe('a rejection by the mobile-money provider', () => {
  it('with the name of an inherited property is like any unknown one', () => {
    for (const code of ['constructor', '__proto__', 'toString']) {
      expect(readSubmission(rejected(code, 'no'), id)).toMatchObject({
        providerCode: code,
        publicCode: 'PROVIDER_REJECTED_REQUEST',
      });
      expect(failureOf(code)).toEqual({ kind: 'failed', code: 'UNSPECIFIED_FAILURE' });
    }
  });

  it.each([
    ['MISSING_PARAMETER', 'payer.accountDetails.phoneNumber', 'phone_number'],
    ['INVALID_PARAMETER', "Parameter 'recipient.accountDetails.phoneNumber' is invalid", 'phone_number'],
    ['INVALID_PARAMETER', 'amount: must not end in zeros', 'amount'],
    ['MISSING_PARAMETER', 'amount and currency go together', 'amount'],
    ['INVALID_PARAMETER', 'currency: KSH', 'currency'],
    ['INVALID_PARAMETER', 'customerMessage: 4 to 22 letters', 'customer_message'],
    ['MISSING_PARAMETER', 'preAuthorisationCode', 'preauth_code'],
    ['INVALID_PARAMETER', 'payer.accountDetails.provider: MTN', 'provider'],
    ['MISSING_PARAMETER', "The parameter 'provider' is required", 'provider'],
  ])('%s "%s" names the merchant’s field %s', (code, text, field) => {
    const refused = {
      kind: 'refused',
      publicCode: 'PROVIDER_REJECTED_REQUEST',
      providerCode: code,
      text,
      field,
    };
    expect(readSubmission(rejected(code, text), id)).toEqual(refused);
    const envelope = { failureReason: { failureCode: code, failureMessage: text } };
    expect(readSubmission(answered(400, envelope), id)).toEqual(refused);
  });

  it.each([
    ['INVALID_PHONE_NUMBER', 'INVALID_PHONE_NUMBER', 'phone_number'],
    ['AMOUNT_OUT_OF_BOUNDS', 'AMOUNT_OUT_OF_RANGE', 'amount'],
    ['INVALID_AMOUNT', 'INVALID_AMOUNT', 'amount'],
    ['INVALID_CURRENCY', 'UNSUPPORTED_CURRENCY', 'currency'],
    ['INVALID_PROVIDER', 'PROVIDER_NOT_FOUND', 'provider'],
    ['INVALID_COUNTRY', 'COUNTRY_NOT_SUPPORTED', 'country'],
    ['AMOUNT_TOO_LARGE', 'REFUND_EXCEEDS_REMAINDER', 'amount'],
  ])('%s is %s, which names %s by itself', (code, publicCode, field) => {
    expect(readSubmission(rejected(code, 'above what the provider takes'), id)).toMatchObject({
      kind: 'refused',
      publicCode,
      field,
    });
  });

  it.each([
    ['INVALID_INPUT', 'The request could not be read by the provider'],
    ['UNSUPPORTED_PARAMETER', 'payer.accountDetails.name'],
    ['INVALID_PARAMETER', 'depositId: not a UUID'],
    ['INVALID_PARAMETER', 'This is not possible in this country'],
    ['DUPLICATE_METADATA_FIELD', ''],
  ])('%s "%s" names no field of the merchant', (code, text) => {
    const denial = readSubmission(rejected(code, text), id);
    expect(denial).toMatchObject({ kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST' });
    expect(denial).not.toHaveProperty('field');
  });
});

describe('an answer to a submission that is no answer of the provider', () => {
  it.each([
    [408, { message: 'timeout' }],
    [403, undefined],
    [404, undefined],
  ])('%d with the body %j may mean that the payment was accepted', (status, json) => {
    expect(readSubmission({ kind: 'answered', status, json, text: '<html>' }, id).kind).toBe('unknown');
  });
});

describe('a completed transaction', () => {
  const completed = (amount: unknown) =>
    resultOf(readTransaction({ depositId: id, status: 'COMPLETED', currency: 'KES', amount }) as Transaction);

  it.each([
    ['15', 1_500n],
    ['15.5', 1_550n],
    ['15.0000', 1_500n],
    ['15.5000', 1_550n],
  ])('of %j has that amount', (amount, amountMinor) => {
    expect(completed(amount)).toMatchObject({ kind: 'succeeded', amountMinor });
  });

  it.each([undefined, '', '15.1234', '15,00', '-1', '1e3'])(
    'of the amount %j does not count: the requested amount is not booked in its place',
    (amount) => {
      expect(completed(amount).kind).toBe('unknown');
    },
  );
});
