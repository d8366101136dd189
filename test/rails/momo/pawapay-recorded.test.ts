/** What pawaPay has shown of its payloads, read by our adapter: nothing of it may come to a wrong end. */
import { findingOf, readTransaction } from '../../../src/rails/momo/providers/pawapay/transaction';
import { recorded, unsourced } from '../../support/recorded';

it('every payload says where it is from', () => {
  expect(unsourced('pawapay')).toEqual([]);
});

it('deposit-failed.json is a failure, with its reason', () => {
  const transaction = readTransaction(
    JSON.parse(recorded('pawapay', 'deposit-failed.json').toString('utf8')),
  );
  expect(transaction).toMatchObject({ id: 'f4401bd2-1568-4140-bf2d-eb77d2b2b639', status: 'FAILED' });
  expect(transaction && findingOf(transaction)).toMatchObject({
    kind: 'failed',
    text: 'The customer does not have enough funds to complete this payment.',
    details: { provider_failure_code: 'INSUFFICIENT_BALANCE', provider_transaction_id: 'ABC123' },
  });
});
