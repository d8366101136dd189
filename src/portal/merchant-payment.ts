import { validate as isUuid } from 'uuid';
import type { Database } from '../store/database';
import type { MerchantRow, PaymentRow } from '../store/tables';

/** A payment of this merchant; that of another is not found. */
export async function getPaymentOfMerchant(
  db: Database,
  { merchant_id: merchantId }: Pick<MerchantRow, 'merchant_id'>,
  paymentId: string,
): Promise<PaymentRow | undefined> {
  // The columns are ASCII, and the database refuses to compare them with more.
  if (!isUuid(paymentId)) return undefined;
  return db('payments').where({ payment_id: paymentId.toLowerCase(), merchant_id: merchantId }).first();
}
