/** Recorded payloads of Daraja, read by the adapter: none may lead to a wrong result. */
import { isTokenError, readSubmission, readStatus } from '../../../../src/rails/stk/providers/daraja/answers';
import { resultOfCallback, readCallback } from '../../../../src/rails/stk/providers/daraja/notification-body';
import { recorded, recordedAnswer, unsourced } from '../../../support/recorded';

const answer = (name: string, status: number) => recordedAnswer('daraja', name, status);

it('every payload has its source', () => {
  expect(unsourced('daraja')).toEqual([]);
});

describe('a callback', () => {
  it.each([
    [
      'callback-paid.json',
      {
        kind: 'succeeded',
        providerReference: 'ws_CO_24012018144725647',
        amountMinor: 100n,
        receipt: 'MAO0DO9BYO',
        details: { merchant_request_id: '6618-964352-1', transaction_date: '20180124144754' },
      },
    ],
    [
      'callback-no-operator.json',
      {
        kind: 'failed',
        code: 'SFC_IC0003',
        ourAccount: true,
        providerReference: 'ws_CO_22062021155116737510',
      },
    ],
    [
      'callback-expired.json',
      { kind: 'timed_out', code: '1019', providerReference: 'ws_CO_23052022122137653708374149' },
    ],
  ])('%s is read completely', (name, providerResult) => {
    const callback = readCallback(recorded('daraja', name).toString('utf8'));
    expect(callback && resultOfCallback(callback)).toMatchObject(providerResult);
  });

  it.each(['being-processed.json', 'invalid-access-token.json', 'firewall.html', 'gateway-fault.json'])(
    '%s is not a callback',
    (name) => {
      expect(readCallback(recorded('daraja', name).toString('utf8'))).toBeUndefined();
    },
  );
});

describe('an answer to a push', () => {
  it.each([
    ['invalid-phone-number.json', 400, { kind: 'refused', field: 'phone_number' }],
    ['invalid-callback-url.json', 400, { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST' }],
    ['invalid-access-token.json', 404, { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED' }],
    ['wrong-credentials.json', 500, { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED' }],
    // The prompt may have been sent: neither proves that it was not.
    ['being-processed.json', 500, { kind: 'unknown' }],
    ['firewall.html', 503, { kind: 'unknown' }],
    ['gateway-fault.json', 500, { kind: 'unknown' }],
  ])('%s (%s) proves only its result', (name, status, means) => {
    expect(readSubmission(answer(name, status))).toMatchObject(means);
  });

  it('invalid-access-token.json concerns only our token', () => {
    expect(isTokenError(answer('invalid-access-token.json', 404))).toBe(true);
    expect(isTokenError(answer('wrong-credentials.json', 500))).toBe(false);
  });
});

describe('an answer to a query', () => {
  it.each([
    ['being-processed.json', 500, { kind: 'open' }],
    ['invalid-access-token.json', 404, { kind: 'unknown' }],
    ['wrong-credentials.json', 500, { kind: 'unknown' }],
    ['firewall.html', 503, { kind: 'unknown' }],
    ['gateway-fault.json', 500, { kind: 'unknown' }],
  ])('%s (%s) is not final', (name, status, providerResult) => {
    expect(readStatus(answer(name, status), 'ws_CO_20022018230142206')).toMatchObject(providerResult);
  });
});
