/** Payments whose customers may have paid twice, as operators look at them. */
import { maybe, text } from '../../rail-kit/answer-fields';
import type { Database, Transaction } from '../../store/database';
import { remembered } from '../../store/remembered';
import type { PaymentRow } from '../../store/tables';

/** An open case, the payment that it is about, and the one that had paid the same before. */
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
    .where('c.reason', 'paid_twice')
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

/** The open ones, oldest first. */
export async function listDuplicates(
  db: Database,
  { merchantId, limit }: { merchantId: string | undefined; limit: number },
): Promise<Duplicate[]> {
  const query = open(db).limit(limit);
  if (merchantId !== undefined) void query.where('p.merchant_id', merchantId);
  return withPayments(db, await query);
}

/** The open ones that a payment is one of the two of. */
export async function duplicatesOf(db: Database | Transaction, paymentId: string): Promise<Duplicate[]> {
  const found = await open(db).where((own) => {
    void own.where('c.payment_id', paymentId).orWhere('r.duplicate_of', paymentId);
  });
  return withPayments(db, found);
}

/** How many are open, as of a while ago; nothing where that could never be asked. */
export const openDuplicates = remembered(
  async (db) => {
    const [row] = await db('cases').where({ reason: 'paid_twice' }).whereNull('closed_at').count({ n: '*' });
    return [Number(row?.n ?? 0)];
  },
  { forMs: 15_000, what: 'how many payments may be duplicates' },
);

/** Refunds of a payment that have neither given anything back nor ended without. */
export function refundsUnderWay(db: Database | Transaction, depositIds: string[], exceptId: string) {
  return db('payments')
    .whereIn('parent_id', depositIds)
    .where({ kind: 'refund', is_final: 0 })
    .whereNot({ payment_id: exceptId })
    .select('payment_id', 'parent_id');
}

// What a merchant is told of a payment whose reference had been paid before.

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
