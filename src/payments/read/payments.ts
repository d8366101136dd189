import { validate as isUuid } from 'uuid';
import { uuidOfBase32 } from '../../domain/base32';
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

/** A payment and the unread notifications of its inbox, oldest first, in one statement. */
export async function getWithUnread(
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
 * The merchant's own payment. Another merchant's id gets the same answer as an id that does not exist.
 * @throws PaymentError PAYMENT_NOT_FOUND
 */
export async function getOwnPaymentOrThrow(
  db: Database,
  merchantId: string,
  paymentId: string,
): Promise<PaymentRow> {
  // Id columns are ASCII: the database refuses to compare them with other text.
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

/** The undelivered webhooks of a payment, and of the deposit it refunds, oldest first. */
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

/** Longer than any id we store. */
const idLengthMax = 1000;
const matchesMax = 50;

/** Our id as providers and `invoice_id` show it: `xb-<id>`, or `cp-<id>-<attempt>`. */
const asProvidersShowIt = (id: string): string =>
  id
    .toUpperCase()
    .replace(/^(?:XB|CP)-/, '')
    .replace(/-\d+$/, '');

/**
 * Finds payments by any id: ours, the merchant's, the provider's, a webhook's or a workflow's, or the customer's
 * complete phone number. Merchants' references need not be unique, so there may be several; the newest come first.
 * @param merchantId only this merchant's payments are found: others may use the same references.
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
    db('payments').where({ payment_id: uuidOfBase32(asProvidersShowIt(id)) ?? id.toLowerCase() }),
    db('payments').where({ workflow_id: id }),
    db('payments').whereIn(
      'payment_id',
      db('outbox').where({ webhook_id: id.toLowerCase() }).select('payment_id'),
    ),
  ];
  // Our id columns are ASCII: the database refuses to compare them with other text.
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

// A phone number as users type it, in every form that a rail may have stored.

/** Country codes of the countries that a rail serves. A number without one may be of any of them. */
const callingCodes = [
  ...[
    '221',
    '223',
    '224',
    '225',
    '226',
    '227',
    '228',
    '229',
    '231',
    '232',
    '233',
    '234',
    '235',
    '236',
    '237',
  ],
  ...[
    '241',
    '242',
    '243',
    '244',
    '248',
    '250',
    '251',
    '252',
    '254',
    '255',
    '256',
    '257',
    '258',
    '260',
    '261',
  ],
  ...['263', '265', '266', '267', '268', '27'],
];
const digitsMin = 9;
const digitsMax = 15;
/** Longer than any number that users write. */
const textMax = 40;

/**
 * @param text such as 0712345678, 712345678, 254712345678 or `+254 712-345 678`, with or without invisible
 *   characters.
 * @returns the forms that may be stored; none where it is not a complete number.
 */
export function phoneSpellings(text: string): string[] {
  if (text.length > textMax) return [];
  const plain = text
    .normalize('NFKC')
    .replace(/^['"\s]*(?:tel:)?/i, '')
    .replace(/\(0\)/, '');
  const bare = plain.replace(/[\p{C}\p{Z}\s().\-‐-―/]/gu, '');
  if (!/^\+?\d+$/.test(bare)) return [];
  const digits = bare.replace(/^\+|^00/, '');
  if (digits.length < digitsMin || digits.length > digitsMax) return [];
  // In some countries the first 0 belongs to the number; in most the country code replaces it.
  const national = [digits, digits.replace(/^0/, '')];
  const isInternational = bare.startsWith('+') || bare.startsWith('00');
  const known = isInternational
    ? []
    : callingCodes.flatMap((code) => national.map((each) => `${code}${each}`));
  const doubled = callingCodes.filter((code) => digits.startsWith(`${code}0`));
  const without = doubled.map((code) => `${code}${digits.slice(code.length + 1)}`);
  return [...new Set([digits, ...known, ...without])]
    .filter((each) => each.length <= digitsMax)
    .flatMap((each) => [each, `+${each}`]);
}

/** The detail that names the bulk request of a payment. */
export const bulkDetail = 'bulk_id';

/** True for a payout that was requested together with others. */
export function isOfBulk({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[bulkDetail] !== undefined;
}
