/** Recorded payloads of Pesapal, read by the adapter: none may lead to a wrong result. */
import type { Ask, PesapalAnswer } from '../../../../src/rails/cardproc/providers/pesapal/calls';
import { isTokenRefused } from '../../../../src/rails/cardproc/providers/pesapal/calls';
import {
  isUsable,
  notificationAddress,
} from '../../../../src/rails/cardproc/providers/pesapal/notification-address';
import { resultOf } from '../../../../src/rails/cardproc/providers/pesapal/order-status';
import { readSubmission } from '../../../../src/rails/cardproc/providers/pesapal/submission';
import { readToken } from '../../../../src/rails/cardproc/providers/pesapal/access-token';
import { faultOf } from '../../../../src/rails/cardproc/providers/pesapal/wire';
import type { PaymentRow } from '../../../../src/store/tables';
import { recordedAnswer, recordedJson, unsourced } from '../../../support/recorded';

const json = (name: string) => recordedJson('pesapal', name);
const answer = (name: string, status = 200) => recordedAnswer('pesapal', name, status);

/** A payment that was submitted with this reference. */
const submittedAs = (name: string, trackingId = 'd0fa69d6') =>
  ({ provider_reference: trackingId, details: { submitted_as: name } }) as unknown as PaymentRow;

it('every payload has its source', () => {
  expect(unsourced('pesapal')).toEqual([]);
});

describe('a status', () => {
  it.each([
    // An error whose members are all null is no error.
    [
      'card-failed.json',
      submittedAs('1515111111'),
      {
        kind: 'failed',
        text: 'Unable to Authorize Transaction.Kindly contact your bank for assistance',
        details: { payment_method: 'Visa', confirmation_code: '6513008693186320103009' },
      },
    ],
    [
      'status-not-yet-paid.json',
      submittedAs('98771cd2-e240-3656-9e10-eb2f3d687ab2', '96a5e1d9-f711-4423-82ce-dd758f972713'),
      { kind: 'open', text: 'payment_details_not_found' },
    ],
    [
      'status-completed.json',
      submittedAs('TX-testing5', 'ac70fcfa-62ef-4d7b-96ee-db1c2d3719bd'),
      {
        kind: 'succeeded',
        currency: 'USD',
        amountMinor: 40n,
        details: { payment_method: 'MasterCard', confirmation_code: '7626999206576973904606' },
      },
    ],
  ])('%s is the result of its own order, and of no other', (name, payment, providerResult) => {
    expect(resultOf(json(name), payment)).toMatchObject(providerResult);
    expect(resultOf(json(name), submittedAs('cp-1'))).toMatchObject({ kind: 'unknown' });
  });

  it.each(['invalid-request.json', 'invalid-token.json', 'refund-already-received.json'])(
    '%s is not final',
    (name) => {
      expect(resultOf(json(name), submittedAs('TX-testing5'))).toMatchObject({ kind: 'unknown' });
    },
  );
});

describe('an answer to an order', () => {
  const id = '98771cd2-e240-3656-9e10-eb2f3d687ab2';

  it.each([
    ['order.json', 200, { kind: 'accepted', providerReference: '96a5e1d9-f711-4423-82ce-dd758f972713' }],
    ['invalid-request.json', 200, { kind: 'refused', providerCode: 'invalid_api_request_parameters' }],
    ['status-not-yet-paid.json', 500, { kind: 'unknown' }],
  ])('%s (%s) proves only its result', (name, status, means) => {
    expect(readSubmission(answer(name, status), id, 'live')).toMatchObject(means);
  });

  it('order.json says nothing about another order', () => {
    expect(readSubmission(answer('order.json'), 'cp-1', 'live').kind).toBe('unknown');
  });
});

describe('a token', () => {
  it('token.json has the lifetime in the answer, not five minutes', () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2024-03-18T15:25:46Z'));
    const reported = readToken(recordedAnswer('pesapal', 'token.json', 200));
    jest.restoreAllMocks();
    expect(reported).toMatchObject({ kind: 'token' });
    expect(reported.kind === 'token' && Math.round(reported.lifeMs / 60_000)).toBe(60);
  });

  it.each([200, 401, 500])('invalid-token.json (%i) causes a new token', (status) => {
    expect(isTokenRefused(answer('invalid-token.json', status))).toBe(true);
  });

  it.each(['invalid-request.json', 'status-not-yet-paid.json', 'order.json'])(
    '%s does not concern the token',
    (name) => {
      expect(isTokenRefused(answer(name))).toBe(false);
    },
  );
});

describe('a notification address', () => {
  const url = 'http://www.padberg.com/dolores-quia-porro-debitis-architecto-quia-repellat';
  const asking =
    (answers: Record<string, PesapalAnswer>): Ask =>
    ({ call }) =>
      Promise.resolve(answers[call] as PesapalAnswer);

  it('address-registered.json contains the id, if nothing was registered before', async () => {
    const none: PesapalAnswer = { kind: 'answered', status: 200, json: [], text: '[]' };
    const ask = asking({ list_ipns: none, register_ipn: answer('address-registered.json') });
    expect(await notificationAddress(url).get(ask)).toEqual({
      kind: 'known',
      id: '1da86d1c-1e8c-4183-bdfd-dd759463e4ce',
    });
  });

  it('address-registered.json has GET, which is the wrong method', () => {
    expect(isUsable(json('address-registered.json') as Record<string, unknown>, url)).toBe(false);
  });

  it('address-list.json has one of ours, by its address only', async () => {
    const ask = asking({ list_ipns: answer('address-list.json') });
    expect(await notificationAddress('https://www.myapplication.com/ipn').get(ask)).toEqual({
      kind: 'known',
      id: 'e32182ca-0983-4fa0-91bc-c3bb813ba750',
    });
  });
});

it.each(['refund-already-received.json', 'refund-invalid-amount.json', 'order-not-cancelled.json'])(
  '%s is an error, although it comes with 200 and has no error in it',
  (name) => {
    expect(faultOf(json(name))?.code).toBe('status_500');
  },
);
