/** What a collection is for in its merchant's own words: the rail says where that stands in its payments. */
import type { PaymentRow } from '../store/tables';

export type ReferenceColumn = 'order_id' | 'account_reference';

export interface Purchase {
  /** The merchant's reference is the first of these that a payment has. */
  reference: readonly ReferenceColumn[];
  /** The one of them that the rail's payments cannot be without: what is paid into an account has one, too. */
  mayBeAccount?: ReferenceColumn;
  /** Who pays, where the rail knows. */
  payer?: 'phone_number';
  /** What its merchant calls the payment; our id where this is absent. */
  nameOf?(payment: PaymentRow): string | undefined;
}
