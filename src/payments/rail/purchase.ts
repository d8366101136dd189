/** What a collection is for in its merchant's own words: the rail says where that stands in its payments. */
import type { PaymentRow } from '../../store/tables';

export interface Purchase {
  /** The merchant's reference is the first of these that a payment has. */
  reference: readonly ('order_id' | 'account_reference')[];
  /** Who pays, where the rail knows. */
  payer?: 'phone_number';
  /** What its merchant calls the payment; our id where this is absent. */
  nameOf?(payment: PaymentRow): string | undefined;
}
