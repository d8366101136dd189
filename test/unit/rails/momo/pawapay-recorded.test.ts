/** Recorded payloads of pawaPay, read by the adapter: none may lead to a wrong result. */
import { readSubmission } from '../../../../src/rails/momo/providers/pawapay/answers';
import { networkDirectory } from '../../../../src/rails/momo/providers/pawapay/directory';
import { faultOfSignature } from '../../../../src/rails/momo/providers/pawapay/signature';
import {
  resultOf,
  readTransaction,
  recordOf,
} from '../../../../src/rails/momo/providers/pawapay/transaction';
import { recorded, recordedAnswer, recordedJson, unsourced } from '../../../support/recorded';

const answer = (name: string, status: number) => recordedAnswer('pawapay', name, status);
const json = (name: string) => recordedJson('pawapay', name);

it('every payload has its source', () => {
  expect(unsourced('pawapay')).toEqual([]);
});

it('deposit-failed.json is a failure, with its reason', () => {
  const transaction = readTransaction(json('deposit-failed.json'));
  expect(transaction).toMatchObject({ id: 'f4401bd2-1568-4140-bf2d-eb77d2b2b639', status: 'FAILED' });
  expect(transaction && resultOf(transaction)).toMatchObject({
    kind: 'failed',
    text: 'The customer does not have enough funds to complete this payment.',
    details: { provider_failure_code: 'INSUFFICIENT_BALANCE', provider_transaction_id: 'ABC123' },
  });
});

describe('an answer to a submission', () => {
  const id = 'f4401bd2-1568-4140-bf2d-eb77d2b2b639';

  it.each([
    ['deposit-accepted.json', 200, { kind: 'accepted', providerReference: id, needsPage: false }],
    ['payout-duplicate-ignored.json', 200, { kind: 'repeated' }],
    [
      'deposit-network-unavailable.json',
      200,
      { kind: 'refused', publicCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE' },
    ],
    [
      'deposit-invalid-phone-number.json',
      200,
      { kind: 'refused', publicCode: 'INVALID_PHONE_NUMBER', field: 'phone_number' },
    ],
    // It has no id, but is the answer to our own request.
    [
      'payout-amount-out-of-bounds.json',
      200,
      { kind: 'refused', publicCode: 'AMOUNT_OUT_OF_RANGE', field: 'amount' },
    ],
    ['refund-of-unknown-deposit.json', 200, { kind: 'refused', publicCode: 'PAYMENT_NOT_FOUND' }],
    ['refund-of-open-deposit.json', 200, { kind: 'refused', publicCode: 'DEPOSIT_NOT_COMPLETED' }],
    [
      'missing-parameter.json',
      400,
      { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST', field: 'amount' },
    ],
    ['invalid-token.json', 401, { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED' }],
    ['unauthorised-token.json', 403, { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED' }],
    ['unknown-error.json', 500, { kind: 'unknown' }],
    // Answers to other requests prove nothing.
    ['deposit-status-completed.json', 200, { kind: 'unknown' }],
    ['status-not-found.json', 200, { kind: 'unknown' }],
  ])('%s (%s) proves only its result', (name, status, means) => {
    expect(readSubmission(answer(name, status), id)).toMatchObject(means);
  });
});

describe('an answer to a query', () => {
  it.each([
    ['deposit-status-completed.json', { kind: 'succeeded', amountMinor: 12_300n, currency: 'ZMW' }],
    ['deposit-status-not-approved.json', { kind: 'cancelled', code: 'PAYMENT_NOT_APPROVED' }],
    ['payout-status-reconciling.json', { kind: 'open', as: 'processing' }],
    ['payout-status-recipient-not-found.json', { kind: 'failed', code: 'RECIPIENT_NOT_FOUND' }],
    ['refund-status-completed.json', { kind: 'succeeded', amountMinor: 12_300n }],
  ])('%s is about the payment in it', (name, means) => {
    const { status, data } = recordOf(json(name));
    expect(status).toBe('FOUND');
    const transaction = readTransaction(data);
    expect(transaction?.id).toBe('8917c345-4791-4285-a416-62f24b6982db');
    expect(transaction && resultOf(transaction)).toMatchObject(means);
  });

  it.each(['status-not-found.json', 'payout-not-enqueued.json', 'unknown-error.json'])(
    '%s is not final',
    (name) => {
      const transaction = readTransaction(json(name));
      expect(transaction ? resultOf(transaction).kind : 'none').toMatch(/^(?:none|unknown)$/);
    },
  );

  it('deposit-status-first-version.json is a success with the amount in its older field', () => {
    const transaction = readTransaction(json('deposit-status-first-version.json'));
    expect(transaction && resultOf(transaction)).toMatchObject({
      kind: 'succeeded',
      amountMinor: 12_300n,
      currency: 'ZMW',
    });
  });
});

describe('the account’s configuration', () => {
  const directory = (name: string) => networkDirectory(() => Promise.resolve(answer(name, 200)), 1);

  it('active-configuration.json has a network with three operations, in every format', async () => {
    expect(await directory('active-configuration.json').list()).toMatchObject([
      {
        provider: 'MTN_MOMO_BEN',
        providerName: 'MTN',
        country: 'BEN',
        currency: 'XOF',
        operations: {
          deposit: { minAmount: '1', maxAmount: '1000', decimals: 0, status: 'OPERATIONAL' },
          payout: { minAmount: '1', maxAmount: '1000', decimals: 0, status: 'DELAYED' },
          refund: { minAmount: '1', maxAmount: '1000', decimals: 0, status: 'CLOSED' },
        },
      },
    ]);
  });

  it('predicted-network.json contains a network', async () => {
    const prediction = await directory('predicted-network.json').predict('260763456789');
    expect(prediction).toEqual({ kind: 'network', provider: 'MTN_MOMO_ZMB' });
  });
});

describe('signed-callback-headers.json', () => {
  const headers = json('signed-callback-headers.json') as Record<string, string>;
  const callback = (rawBody: Buffer) => ({
    method: 'POST',
    url: 'http://localhost:8080/callback',
    headers,
    rawBody,
  });

  it('belongs to none of the known bodies', async () => {
    const rawBody = recorded('pawapay', 'deposit-failed.json');
    const fault = await faultOfSignature(callback(rawBody), () => Promise.resolve(undefined));
    expect(fault).toBe('the body is not the one that was signed');
  });

  it('covers the required fields, in a readable form', () => {
    const { 'signature-input': input = '', signature = '' } = headers;
    for (const field of ['"@method"', '"@authority"', '"@path"', '"content-digest"']) {
      expect(input).toContain(field);
    }
    // DER, not r and s in sequence.
    const bytes = Buffer.from(/^sig-pp=:(.*):$/.exec(signature)?.[1] ?? '', 'base64');
    expect([bytes[0], bytes.length]).toEqual([0x30, 70]);
  });
});
