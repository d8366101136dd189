/** What a merchant is told of a payment whose reference had been paid before. */
import type { PaymentRow } from '../../store/tables';
import { maybe, text } from '../../rail-kit/answer-fields';

/** The detail that keeps what its merchant calls the payment that was first. */
export const possibleDuplicateDetail = 'possible_duplicate_of';

export const duplicateFields = {
  possible_duplicate_of: maybe(
    text('What you call the payment that had paid the same reference before, where there is one', 'INV-1'),
  ),
};

/** `possible_duplicate_of` of a webhook and a status; nothing for any other payment. */
export function duplicateTold({ details }: Pick<PaymentRow, 'details'>): { possible_duplicate_of?: string } {
  const first = details[possibleDuplicateDetail];
  return first === undefined ? {} : { possible_duplicate_of: first };
}
