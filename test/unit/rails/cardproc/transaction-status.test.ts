/** What `transaction_status.php` says when nobody asks the provider any more. */
import { transactionStatusAnswer } from '../../../../src/rails/cardproc/responses';
import type { PaymentRow } from '../../../../src/store/tables';

const order = (changes: Partial<PaymentRow>) =>
  ({
    ...{
      rail: 'cardproc',
      kind: 'deposit',
      currency: 'KES',
      requested_minor: '150000',
      confirmed_minor: null,
    },
    ...{ details: {}, failure_code: null, result_code: null, returned_minor: '0', refunded_minor: '0' },
    created_at: new Date(),
    ...changes,
  }) as unknown as PaymentRow;

it('an order that an operator has still to decide is not final, however old it is', () => {
  const open = transactionStatusAnswer(order({ state: 'pending', is_final: 0 }), false);
  expect(open).toMatchObject({ is_final: false });
  expect(open.message).not.toContain('closed');
  expect(transactionStatusAnswer(order({ state: 'timed_out', is_final: 1 }), false)).toMatchObject({
    is_final: true,
  });
});
