import type { PaymentRow } from '../../store/tables';

/** The detail of a payment that names the request it came with. */
export const bulkDetail = 'bulk_id';

/** True for a payout that was asked for together with others. */
export function isOfBulk({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[bulkDetail] !== undefined;
}
