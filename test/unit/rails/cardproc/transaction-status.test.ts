/** The answer of `transaction_status.php` after the status polls of an order have ended. */
import { transactionStatusAnswer } from '../../../../src/rails/cardproc/responses';
import type { PaymentRow } from '../../../../src/store/tables';
import { rowOfPayment } from '../../../support/payment-row';

const order = (changes: Partial<PaymentRow>) => rowOfPayment({ rail: 'cardproc', ...changes });

it('an order that an operator has still to decide is not final, however old it is', () => {
  const open = transactionStatusAnswer(order({ state: 'pending', is_final: 0 }), false);
  expect(open).toMatchObject({ is_final: false });
  expect(open.message).not.toContain('closed');
  expect(transactionStatusAnswer(order({ state: 'timed_out', is_final: 1 }), false)).toMatchObject({
    is_final: true,
  });
});
