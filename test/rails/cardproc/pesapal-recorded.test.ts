/** What Pesapal has shown of its payloads, read by our adapter: nothing of it may come to a wrong end. */
import { findingOf } from '../../../src/rails/cardproc/providers/pesapal/order-status';
import type { PaymentRow } from '../../../src/store/tables';
import { recorded, unsourced } from '../../support/recorded';

/** A payment that was submitted under this name. */
const submittedAs = (name: string) =>
  ({ provider_reference: 'd0fa69d6', details: { submitted_as: name } }) as unknown as PaymentRow;

it('every payload says where it is from', () => {
  expect(unsourced('pesapal')).toEqual([]);
});

describe('card-failed.json', () => {
  const status = JSON.parse(recorded('pesapal', 'card-failed.json').toString('utf8')) as unknown;

  it('is a failure, in the bank’s words, and its empty error is none', () => {
    expect(findingOf(status, submittedAs('1515111111'))).toMatchObject({
      kind: 'failed',
      text: 'Unable to Authorize Transaction.Kindly contact your bank for assistance',
      details: { payment_method: 'Visa', confirmation_code: '6513008693186320103009' },
    });
  });

  it('says nothing about another order', () => {
    expect(findingOf(status, submittedAs('cp-1'))).toMatchObject({ kind: 'unknown' });
  });
});
