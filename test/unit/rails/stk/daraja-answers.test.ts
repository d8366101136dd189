/** The meaning of the provider's answers, line by line. */
import { readSubmission, readStatus, isTokenError } from '../../../../src/rails/stk/providers/daraja/answers';
import { resultOf, stkResult } from '../../../../src/rails/stk/providers/daraja/result-codes';
import type { ProviderResponse } from '../../../../src/rail-kit/provider-http';

const reference = 'ws_CO_1';
const answered = (status: number, json: unknown): ProviderResponse => ({
  kind: 'answered',
  status,
  json,
  text: JSON.stringify(json),
});
const envelope = (status: number, errorCode: string, errorMessage: string) =>
  answered(status, { requestId: '1-2-3', errorCode, errorMessage });
const html = (status: number): ProviderResponse => ({
  kind: 'answered',
  status,
  json: undefined,
  text: '<html>',
});

const resultOfCode = (code: string) => resultOf(code, '')?.means;

describe('a result code', () => {
  it.each([
    ['0', 'succeeded'],
    ['1', 'failed'],
    ['2', 'failed'],
    ['17', 'failed'],
    ['26', 'failed'],
    ['1001', 'failed'],
    ['1019', 'timed_out'],
    ['1025', 'failed'],
    ['9999', 'failed'],
    ['1032', 'cancelled'],
    ['1037', 'timed_out'],
    ['2001', 'failed'],
    ['2028', 'failed'],
    ['8006', 'failed'],
    ['SFC_IC0003', 'failed'],
    ['4999', 'open'],
    ['34', 'open'],
    ...['3', '4', '8', '10', '11', '29', '31', '32', '33', '35', '36', '40', '41', '42', '43'].map((code) => [
      code,
      'failed',
    ]),
  ])('%s means %s', (code, means) => {
    expect(resultOfCode(code)).toBe(means);
  });

  it('is also read with a leading zero, which never makes it a success', () => {
    expect([resultOfCode('08'), resultOfCode('00'), resultOfCode('01')]).toEqual([
      'failed',
      'succeeded',
      'failed',
    ]);
    const successes = Object.entries(stkResult).filter(([, { means }]) => means === 'succeeded');
    expect(successes.map(([code]) => code)).toEqual(['0']);
  });

  it.each(['0', '1', '1037', '4999', '777'])('%s with "still under processing" is open', (code) => {
    for (const text of ['The transaction is still under processing', 'The transaction is being processed'])
      expect(resultOf(code, text)?.means).toBe('open');
  });

  it('about our own configuration is marked, and one with a single source is doubtful', () => {
    const ours = Object.entries(stkResult).filter(([, { ourAccount }]) => ourAccount);
    expect(ours.map(([code]) => code)).toEqual(['2028', 'SFC_IC0003']);
    const doubtful = ['0', '1', '1032', '1037', '2001', '2', '2028', '8006', 'SFC_IC0003'].filter(
      (code) => resultOf(code, '')?.isDoubtful,
    );
    expect(doubtful).toEqual(['2', '2028', '8006', 'SFC_IC0003']);
  });

  it.each(['777', '', 'success', '0x0', '-0', 'toString', '__proto__'])('%j is unknown', (code) => {
    expect(resultOfCode(code)).toBeUndefined();
  });
});

describe('the answer to a submission', () => {
  const accepted = {
    MerchantRequestID: '1-2-3',
    CheckoutRequestID: reference,
    ResponseCode: '0',
    CustomerMessage: 'On its way',
  };

  it('is an acceptance only when complete', () => {
    expect(readSubmission(answered(200, accepted))).toEqual({
      kind: 'accepted',
      providerReference: reference,
      details: { merchant_request_id: '1-2-3', customer_message: 'On its way' },
    });
  });

  it.each([
    ['no CheckoutRequestID', answered(200, { ...accepted, CheckoutRequestID: undefined })],
    ['an empty one', answered(200, { ...accepted, CheckoutRequestID: '' })],
    ['a ResponseCode that is no text', answered(200, { ...accepted, ResponseCode: 0 })],
    ['nothing in it', answered(200, {})],
    ['null', answered(200, null)],
    ['a page of HTML', html(200)],
    ['a page of HTML and 503', html(503)],
    ['a page of HTML and 403', html(403)],
    ['a 408', answered(408, {})],
    ['an internal error', envelope(500, '500.003.1001', 'Internal Server Error')],
    ['the code of all errors and words nobody knows', envelope(500, '500.001.1001', 'Something else')],
    ['a lock that is not the subscriber’s', envelope(500, '500.001.1001', 'The service is blocked')],
    ['a system that is busy', envelope(500, '500.003.02', 'System is busy. Please try again')],
    ['a code nobody knows', envelope(500, '999.9', 'Never seen')],
    ['a code of bad requests and 500', envelope(500, '400.002.02', 'Bad Request - Invalid Amount')],
    ['an error and 200', envelope(200, '500.003.1001', 'Internal Server Error')],
    ['a 500 of JSON', answered(500, {})],
    ['a timeout', { kind: 'unknown', text: 'timeout' } as const],
  ])('with %s is unknown, because the prompt may have been sent', (_what, answer) => {
    expect(readSubmission(answer)).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    [500, '500.001.1001', 'Unable to lock subscriber, a transaction is already in process', 'CUSTOMER_BUSY'],
    [500, '500.001.1001', 'Wrong credentials', 'PROVIDER_ACCOUNT_REFUSED'],
    [500, '500.001.1001', 'Merchant does not exist', 'PROVIDER_ACCOUNT_REFUSED'],
    [404, '404.001.03', 'Invalid Access Token', 'PROVIDER_ACCOUNT_REFUSED'],
    [400, '400.003.01', 'Invalid Access Token', 'PROVIDER_ACCOUNT_REFUSED'],
    [400, '400.002.02', 'Bad Request - Invalid PhoneNumber', 'PROVIDER_REJECTED_REQUEST', 'phone_number'],
    [400, '400.002.02', 'Bad Request - Invalid Amount', 'PROVIDER_REJECTED_REQUEST', 'amount'],
    [403, '999.9', 'Never seen', 'PROVIDER_REJECTED_REQUEST'],
  ])('%d %s "%s" is the error %s', (status, code, text, publicCode, field = '') => {
    expect(readSubmission(envelope(status, code, text))).toEqual({
      kind: 'refused',
      publicCode,
      providerCode: code,
      text,
      // The field is set if the provider names it.
      ...(field === '' ? {} : { field }),
    });
  });

  it('with another ResponseCode is a rejection', () => {
    const answer = answered(200, { ...accepted, ResponseCode: '1', ResponseDescription: 'Rejected' });
    expect(readSubmission(answer)).toMatchObject({ kind: 'refused', providerCode: '1', text: 'Rejected' });
  });

  it.each([
    ['429', html(429)],
    ['the spike arrest', envelope(429, '500.003.02', 'Spike Arrest Violation')],
    ['the spike arrest as a 500', envelope(500, '500.003.02', 'Spike Arrest Violation')],
    ['a quota that is used up', envelope(500, '500.003.03', 'Error Occurred: Quota Violation')],
    ['no connection', { kind: 'not_sent', text: 'ECONNREFUSED' } as const],
  ])('that is %s was never sent, and may be sent again', (_what, answer) => {
    expect(readSubmission(answer)).toMatchObject({ kind: 'not_sent' });
  });

  it('that rejects our token is known by its status or its code', () => {
    const errors = [
      html(401),
      envelope(404, '404.001.03', 'Invalid Access Token'),
      envelope(400, '400.003.01', 'Invalid Access Token'),
    ];
    const others = [html(500), envelope(400, '400.002.02', 'Bad'), { kind: 'unknown', text: '' } as const];
    expect([...errors, ...others].map(isTokenError)).toEqual([true, true, true, false, false, false]);
  });
});

describe('the answer to a status query', () => {
  const reported = (code: unknown, changes: object = {}) =>
    readStatus(
      answered(200, {
        ResponseCode: '0',
        CheckoutRequestID: reference,
        ResultCode: code,
        ResultDesc: 'd',
        ...changes,
      }),
      reference,
    );

  it.each([
    ['0', 'succeeded'],
    [0, 'succeeded'],
    ['1032', 'cancelled'],
    ['1037', 'timed_out'],
    ['2001', 'failed'],
    ['4999', 'open'],
    [undefined, 'unknown'],
    [null, 'unknown'],
    [false, 'unknown'],
    [[], 'unknown'],
  ])('with ResultCode %j is %s', (code, kind) => {
    expect(reported(code).kind).toBe(kind);
  });

  it('with an unknown code is a failure that must be seen twice', () => {
    expect(reported('777')).toMatchObject({ kind: 'failed', code: '777', tentative: true });
    expect(reported('1')).not.toHaveProperty('tentative');
  });

  it('with a code from a single source must be seen twice, too', () => {
    expect(reported('8006')).toMatchObject({ kind: 'failed', tentative: true });
    expect(reported('SFC_IC0003')).toMatchObject({ kind: 'failed', tentative: true, ourAccount: true });
  });

  it.each(['0', '1', '1037'])('with ResultCode %s and "still under processing" is open', (code) => {
    expect(reported(code, { ResultDesc: 'The transaction is still under processing' }).kind).toBe('open');
  });

  it('about another prompt says nothing', () => {
    expect(reported('0', { CheckoutRequestID: 'ws_CO_2' }).kind).toBe('unknown');
    expect(reported('0', { CheckoutRequestID: undefined }).kind).toBe('unknown');
  });

  it('has no amount', () => {
    expect(reported('0')).toEqual({
      kind: 'succeeded',
      code: '0',
      text: 'd',
      currency: 'KES',
      providerReference: reference,
    });
  });

  it.each([
    [
      'the code of all errors, saying "in progress",',
      envelope(500, '500.001.1001', 'The transaction is being processed'),
      'open',
    ],
    [
      'the same code, saying "wrong credentials",',
      envelope(500, '500.001.1001', 'Wrong credentials'),
      'unknown',
    ],
    ['the internal error', envelope(500, '500.003.1001', 'Internal Server Error'), 'unknown'],
    ['a 500 of HTML', html(500), 'unknown'],
    ['a 200 of HTML', html(200), 'unknown'],
    ['a refused account', { kind: 'account_refused', text: '' } as const, 'unknown'],
    ['no connection', { kind: 'not_sent', text: '' } as const, 'unknown'],
  ])('that is %s is no failure', (_what, answer, kind) => {
    expect(readStatus(answer, reference).kind).toBe(kind);
  });
});
