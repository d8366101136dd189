import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { phoneSpellings } from './phone-spellings';

/** Longer than any id we store. */
const idLengthMax = 1000;
const matchesMax = 50;

/**
 * Finds payments by whatever name somebody knows one by: ours, the merchant's, the provider's, a webhook's or a
 * workflow's, or its customer's whole phone number. Merchants' references need not be unique, so there may be several; the newest come first.
 * @param merchantId whose alone are found: others may call theirs the same.
 */
export async function findByAnyId(
  db: Database,
  rails: string[],
  id: string,
  merchantId?: string,
): Promise<PaymentRow[]> {
  if (id === '' || id.length > idLengthMax) return [];
  const phones = phoneSpellings(id);
  const byTheirNames = [
    db('payments').where({ order_id: id }),
    db('payments').where({ account_reference: id }),
    // Both indexes begin with the rail.
    db('payments').whereIn('rail', rails).where({ provider_reference: id }),
    db('payments').whereIn('rail', rails).where({ provider_receipt: id }),
    ...(phones.length === 0 ? [] : [db('payments').whereIn('phone_number', phones)]),
  ];
  const byOurNames = [
    db('payments').where({ payment_id: id.toLowerCase() }),
    db('payments').where({ workflow_id: id }),
    db('payments').whereIn(
      'payment_id',
      db('outbox').where({ webhook_id: id.toLowerCase() }).select('payment_id'),
    ),
  ];
  // Our id columns are ASCII: the database refuses to compare them with anything else.
  const queries = /^[\x21-\x7e]+$/.test(id) ? [...byOurNames, ...byTheirNames] : byTheirNames;
  const found = await Promise.all(
    queries.map((query) => {
      if (merchantId !== undefined) void query.where({ merchant_id: merchantId });
      return query.orderBy('created_at', 'desc').limit(matchesMax);
    }),
  );
  const unique = new Map(found.flat().map((payment) => [payment.payment_id, payment]));
  return [...unique.values()].sort((a, b) => b.created_at.getTime() - a.created_at.getTime());
}
