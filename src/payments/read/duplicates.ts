/** The open cases of customers who may have paid twice, for operators. */
import { maybe, text } from '../../rail-kit/answer-fields';
import type { Database, Transaction } from '../../store/database';
import { remembered } from '../../store/remembered';
import type { PaymentRow } from '../../store/tables';

/** An open case, its payment, and the earlier payment of the same purchase. */
export interface Duplicate {
  caseId: string;
  openedAt: Date;
  first: PaymentRow;
  second: PaymentRow;
}

interface Found {
  case_id: string;
  opened_at: Date;
  first_id: string;
  second_id: string;
}

function open(db: Database | Transaction) {
  return db('cases as c')
    .join('paid_references as r', 'r.payment_id', 'c.payment_id')
    .join('payments as p', 'p.payment_id', 'c.payment_id')
    .where('c.reason', 'duplicate_payment')
    .whereNull('c.closed_at')
    .whereNotNull('r.duplicate_of')
    .orderBy('c.case_id')
    .select<Found[]>('c.case_id', 'c.opened_at', { first_id: 'r.duplicate_of', second_id: 'c.payment_id' });
}

async function withPayments(db: Database | Transaction, found: Found[]): Promise<Duplicate[]> {
  const ids = found.flatMap(({ first_id: first, second_id: second }) => [first, second]);
  const payments = new Map((await db('payments').whereIn('payment_id', ids)).map((p) => [p.payment_id, p]));
  return found.flatMap(({ case_id: caseId, opened_at: openedAt, first_id, second_id }) => {
    const [first, second] = [payments.get(first_id), payments.get(second_id)];
    return first && second ? [{ caseId, openedAt, first, second }] : [];
  });
}

/** The open cases, oldest first. */
export async function listDuplicates(
  db: Database,
  { merchantId, limit }: { merchantId: string | undefined; limit: number },
): Promise<Duplicate[]> {
  const query = open(db).limit(limit);
  if (merchantId !== undefined) void query.where('p.merchant_id', merchantId);
  return withPayments(db, await query);
}

/** The open cases in which a payment is one of the two. */
export async function duplicatesOf(db: Database | Transaction, paymentId: string): Promise<Duplicate[]> {
  const found = await open(db).where((own) => {
    void own.where('c.payment_id', paymentId).orWhere('r.duplicate_of', paymentId);
  });
  return withPayments(db, found);
}

/** The number of open cases, from a short-lived cache; undefined where it was never read. */
export const openDuplicates = remembered(
  async (db) => {
    const [row] = await db('cases')
      .where({ reason: 'duplicate_payment' })
      .whereNull('closed_at')
      .count({ n: '*' });
    return [Number(row?.n ?? 0)];
  },
  { forMs: 15_000, what: 'the number of possible duplicate payments' },
);

/** Refunds of a payment that are not final: they may still give money back. */
export function refundsUnderWay(db: Database | Transaction, depositIds: string[], exceptId: string) {
  return db('payments')
    .whereIn('parent_id', depositIds)
    .where({ kind: 'refund', is_final: 0 })
    .whereNot({ payment_id: exceptId })
    .select('payment_id', 'parent_id');
}

// What a merchant is notified of a payment whose reference was already paid.

/** The detail with the merchant's reference of the first payment. */
export const possibleDuplicateDetail = 'possible_duplicate_of';

export const duplicateFields = {
  possible_duplicate_of: maybe(
    text('Your name of the earlier payment for the same reference, if there is one', 'INV-1'),
  ),
};

/** `possible_duplicate_of` in a webhook and a status; nothing for any other payment. */
export function shownDuplicate({ details }: Pick<PaymentRow, 'details'>): { possible_duplicate_of?: string } {
  const first = details[possibleDuplicateDetail];
  return first === undefined ? {} : { possible_duplicate_of: first };
}
