/**
 * Which payments have paid a reference of their merchant's. The first row of a reference is locked by whoever settles
 * another payment of it, until its COMMIT: of two at the same moment, one finds the other.
 */
import type { Database, Transaction } from '../../store/database';
import type { PaidReferenceRow, PaymentRow } from '../../store/tables';
import { paidOf, rememberedMs, type PaidPayment } from './paid-twice';
import type { PaymentsContext } from '../rail/context';
import { operationOf } from '../rail/rail';
import { settleCase } from '../../controls/cases';

/** Most references are paid once: then this is all that is asked of the database. */
const take = `
  INSERT INTO paid_references (reference_key, n, payment_id, paid_at)
  SELECT :key, 1, :paymentId, :paidAt FROM merchants WHERE merchant_id = :merchantId AND paid_twice = 'on'
  ON DUPLICATE KEY UPDATE
    times = paid_references.times + 1,
    is_account = IF(paid_references.paid_at > :remembered, paid_references.is_account, 0),
    paid_at = :paidAt`;

/** @returns whether other payments have paid it before; false, too, where its merchant has that switched off. */
export async function takeReference(
  trx: Transaction,
  { timeScale }: Pick<PaymentsContext, 'timeScale'>,
  key: Buffer,
  { payment_id: paymentId, merchant_id: merchantId, updated_at: paidAt }: PaymentRow,
): Promise<boolean> {
  const remembered = new Date(paidAt.getTime() - rememberedMs / timeScale);
  const [{ affectedRows }] = (await trx.raw(take, {
    key,
    paymentId,
    merchantId,
    paidAt,
    remembered,
  } as never)) as unknown as [{ affectedRows: number }];
  return affectedRows === 2;
}

/** A reference with its first row locked, and undefined for a payment that paid none that is known. */
export async function lockReferenceOf(trx: Transaction, paymentId: string): Promise<Buffer | undefined> {
  const row = await trx('paid_references').where({ payment_id: paymentId }).first('reference_key');
  if (!row) return undefined;
  await trx('paid_references').where({ reference_key: row.reference_key, n: 1 }).forUpdate().first('n');
  return row.reference_key;
}

export interface PaidBefore extends PaidPayment {
  reference: Pick<PaidReferenceRow, 'n' | 'duplicate_of' | 'is_account'>;
}

/** More are never kept of what names a single purchase. */
const readUpTo = 20;

/** The newest payments of a reference, oldest first. */
export async function readPaid(
  trx: Transaction,
  { rails }: Pick<PaymentsContext, 'rails'>,
  key: Buffer,
): Promise<PaidBefore[]> {
  const rows = await trx('paid_references as r')
    .join('payments as p', 'p.payment_id', 'r.payment_id')
    .where('r.reference_key', key)
    .orderBy('r.n', 'desc')
    .limit(readUpTo)
    .select<(PaymentRow & PaidBefore['reference'] & { given_minor: string })[]>(
      'p.*',
      'r.n',
      'r.duplicate_of',
      'r.is_account',
      trx.raw(
        `(SELECT COALESCE(SUM(f.requested_minor), 0) FROM payments f
           WHERE f.parent_id = p.payment_id AND f.kind = 'refund' AND f.state = 'succeeded') AS given_minor`,
      ),
    );
  return rows.reverse().map(({ n, duplicate_of, is_account, given_minor: given, ...payment }) => {
    const { purchase } = operationOf(rails.get(payment.rail), payment);
    return { ...paidOf(purchase, payment, BigInt(given)), reference: { n, duplicate_of, is_account } };
  });
}

/** A further payment of a reference that is locked. */
export async function addPaid(
  trx: Transaction,
  key: Buffer,
  { payment_id, updated_at }: PaymentRow,
  before: readonly PaidBefore[],
  duplicateOf: string | null,
): Promise<void> {
  const n = (before.at(-1)?.reference.n ?? 1) + 1;
  await trx('paid_references')
    .insert({ reference_key: key, n, payment_id, duplicate_of: duplicateOf, paid_at: updated_at })
    .onConflict()
    .ignore();
}

/** What is paid again and again is no purchase: nobody need be told of it. */
export async function markAccount(trx: Transaction, key: Buffer): Promise<void> {
  await trx('paid_references').where({ reference_key: key, n: 1 }).update({ is_account: 1 });
}

/** Nobody need be asked any more about what had been paid into an account before it was known to be one. */
export async function withdrawQuestions(trx: Transaction, before: readonly PaidBefore[]): Promise<void> {
  for (const { payment, reference } of before) {
    if (reference.duplicate_of === null) continue;
    const { payment_id } = payment;
    await trx('paid_references').where({ payment_id }).update({ duplicate_of: null });
    await settleCase(trx, payment_id, 'paid_twice', 'the reference is an account');
  }
}

/** How long a process goes by what it has read, in milliseconds, and how many references it keeps. */
const known = { forMs: 3_600_000, most: 10_000 };
const accountsOf = new WeakMap<Database, Map<string, number>>();

/** Payments of an account do not wait for each other. */
export function isKnownAccount(db: Database, key: Buffer): boolean {
  const since = accountsOf.get(db)?.get(key.toString('base64'));
  return since !== undefined && performance.now() - since < known.forMs;
}

/** @param key of a reference that was read to be an account. */
export function knowAccount(db: Database, key: Buffer): void {
  const accounts = accountsOf.get(db) ?? new Map<string, number>();
  if (accounts.size >= known.most) accounts.clear();
  accountsOf.set(db, accounts.set(key.toString('base64'), performance.now()));
}
