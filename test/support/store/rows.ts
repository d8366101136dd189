/** Rows written directly, without the code that usually writes them. */
import { v7 as uuid } from 'uuid';
import { startAfterMs } from '../../../src/domain/poll-schedule';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { asOurs } from '../own-rows';

/** @returns the id of a merchant without keys. */
export async function insertMerchant(db: Database): Promise<string> {
  const merchantId = uuid();
  const now = new Date();
  await db('merchants').insert({
    merchant_id: merchantId,
    name: 'Test Shop',
    permissions: '[]',
    ip_allow: '[]',
    checkout_hosts: '[]',
    webhook_secret: 'sealed',
    created_at: now,
    updated_at: now,
  } as object);
  await asOurs(db, 'merchants', merchantId);
  return merchantId;
}

export function paymentRow(merchantId: string, changes: Partial<PaymentRow> = {}) {
  const paymentId = uuid();
  const now = new Date();
  return {
    payment_id: paymentId,
    merchant_id: merchantId,
    rail: 'stk',
    kind: 'deposit',
    workflow_id: `stk-push/${paymentId}`,
    state: 'received',
    currency: 'KES',
    requested_minor: '125000',
    instructed_currency: 'KES',
    instructed_minor: '125000',
    provider: 'daraja',
    created_at: now,
    updated_at: now,
    next_check_at: new Date(now.getTime() + startAfterMs),
    ...changes,
    details: JSON.stringify(changes.details ?? {}) as never,
  } as const;
}

/** @returns the id of a payment of a new merchant. */
export async function insertPayment(db: Database, changes: Partial<PaymentRow> = {}): Promise<string> {
  const row = paymentRow(changes.merchant_id ?? (await insertMerchant(db)), changes);
  await db('payments').insert(row);
  return row.payment_id;
}

/** Pending payments of one merchant, with different ids, whose next check is in an hour. */
export async function insertOpenPayments(db: Database, count: number): Promise<void> {
  const next_check_at = new Date(Date.now() + 3_600_000);
  const first = await insertPayment(db, { state: 'pending', next_check_at, accepted_at: new Date() });
  const columns = Object.keys((await db('payments').where({ payment_id: first }).first()) ?? {});
  const copied = columns.map((column) => {
    if (column === 'payment_id') return 'ids.id';
    return column === 'workflow_id' ? "CONCAT('stk-push/', ids.id)" : `one.${column}`;
  });
  // Each pass doubles them: the server copies the rows, because sending so many takes too long.
  for (let written = 1; written < count;) {
    const more = Math.min(written, count - written);
    await db.raw(
      `INSERT INTO payments (${columns.join(', ')})
       SELECT ${copied.join(', ')}
       FROM (SELECT UUID() AS id FROM payments LIMIT ${String(more)}) AS ids
       JOIN payments AS one ON one.payment_id = ?`,
      [first],
    );
    written += more;
  }
  await db.raw('ANALYZE TABLE payments, inbox, outbox');
}
