import { validate as isUuid } from 'uuid';
import { PaymentError } from '../../domain/errors';
import type { Database, Transaction } from '../../store/database';
import type { InboxRow, PaymentRow } from '../../store/tables';

export function findPayment(db: Database | Transaction, paymentId: string): Promise<PaymentRow | undefined> {
  return db('payments').where({ payment_id: paymentId }).first();
}

export async function getPaymentOrThrow(db: Database | Transaction, paymentId: string): Promise<PaymentRow> {
  const payment = await findPayment(db, paymentId);
  if (!payment) throw new Error(`payment ${paymentId} does not exist`);
  return payment;
}

/** A payment, and what nobody has read of its inbox, oldest first, in one statement. */
export async function getWithNews(
  db: Database,
  paymentId: string,
): Promise<{ payment: PaymentRow; inbox: InboxRow[] }> {
  const rows: { p: PaymentRow; i: InboxRow | { inbox_id: null } }[] = await db('payments as p')
    .leftJoin('inbox as i', (on) => {
      on.on('i.payment_id', 'p.payment_id').andOnVal('i.state', 'new');
    })
    .where('p.payment_id', paymentId)
    .orderBy('i.inbox_id')
    .options({ nestTables: true })
    .select('p.*', 'i.*');
  const payment = rows[0]?.p;
  if (!payment) throw new Error(`payment ${paymentId} does not exist`);
  return { payment, inbox: rows.flatMap(({ i: row }) => (row.inbox_id === null ? [] : [row])) };
}

/**
 * The merchant's own payment. Somebody else's id answers exactly as one that does not exist.
 * @throws PaymentError PAYMENT_NOT_FOUND
 */
export async function getOwnPaymentOrThrow(
  db: Database,
  merchantId: string,
  paymentId: string,
): Promise<PaymentRow> {
  // Id columns are ASCII: the database refuses to compare them with anything else.
  const payment = isUuid(paymentId) ? await findPayment(db, paymentId) : undefined;
  if (payment?.merchant_id !== merchantId) throw new PaymentError('PAYMENT_NOT_FOUND');
  return payment;
}

/**
 * The same on one rail.
 * @throws PaymentError PAYMENT_NOT_FOUND
 */
export async function getMerchantPaymentOrThrow(
  db: Database,
  merchantId: string,
  rail: string,
  paymentId: string,
): Promise<PaymentRow> {
  const payment = await getOwnPaymentOrThrow(db, merchantId, paymentId);
  if (payment.rail !== rail) throw new PaymentError('PAYMENT_NOT_FOUND');
  return payment;
}

/** The webhooks of a payment, and of the deposit it refunds, that still have to be delivered, oldest first. */
export async function pendingWebhookIds(
  db: Database,
  { payment_id: id, parent_id: depositId }: Pick<PaymentRow, 'payment_id' | 'parent_id'>,
): Promise<string[]> {
  const rows = await db('outbox')
    .whereIn('payment_id', depositId === null ? [id] : [id, depositId])
    .where({ state: 'pending' })
    .orderBy('created_at')
    .select('webhook_id');
  return rows.map((row) => row.webhook_id);
}
