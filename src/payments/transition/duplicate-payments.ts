/**
 * Finds a customer who pays the same purchase twice, by another rail or another attempt, in the transaction that
 * settles the second payment. Its webhook reports this at once. A case is open while the merchant has the money of
 * both.
 */
import { createHash } from 'node:crypto';
import { noteOnCase, openCase, settleCase, closeCase } from '../../controls/cases';
import { cutText } from '../../domain/cut-text';
import { formatAmount } from '../../domain/money';
import { isSettled } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import { operationOf, type Purchase } from '../../rail-kit/rail';
import type { Transaction, Database } from '../../store/database';
import type { PaymentRow, PaidReferenceRow } from '../../store/tables';
import { nextChange, inTransaction, type Alongside } from '../../store/transaction';
import { possibleDuplicateDetail, type Duplicate } from '../read/duplicates';

/** The length of a reference that a case shows. */
const referenceShown = 60;

/**
 * Records the purchase that a newly settled deposit has paid.
 * @returns the payment, with its possible duplicate from now on.
 */
export async function flagPaidTwice(
  trx: Transaction,
  context: PaymentsContext,
  settled: PaymentRow,
): Promise<PaymentRow> {
  const { purchase } = operationOf(context.rails.get(settled.rail), settled);
  const key = purchase && referenceKeyOf(purchase, settled);
  if (!key || isKnownAccount(context.db, key)) return settled;
  if (!(await takeReference(trx, context, key, settled))) return settled;
  const before = await readPaid(trx, context, key);
  if (isOfAccount(before)) {
    await withdrawQuestions(trx, before);
    knowAccount(context.db, key);
    return settled;
  }
  const now = paidOf(purchase, settled, 0n);
  const found = judgePaid(now, before, context.timeScale);
  if (found.kind === 'account') {
    await markAccount(trx, key);
    await withdrawQuestions(trx, before);
    return settled;
  }
  const first = found.kind === 'duplicate' ? found.of : undefined;
  await addPaid(trx, key, settled, before, first?.payment.payment_id ?? null);
  return first ? { ...settled, details: await flag(trx, context, now, first) } : settled;
}

const isOfAccount = (paid: readonly PaidBefore[]) => paid.some(({ reference }) => reference.is_account === 1);

/**
 * @param besides further changes of a payment that stays in its state
 * @returns the details that its merchant sees from now on
 */
async function flag(
  trx: Transaction,
  { rails }: PaymentsContext,
  now: PaidPayment,
  first: PaidPayment,
  besides: object = {},
): Promise<PaymentRow['details']> {
  const { payment } = now;
  const purchaseOf = ({ payment: of }: PaidPayment) => operationOf(rails.get(of.rail), of).purchase;
  const named = purchaseOf(first)?.nameOf?.(first.payment) ?? '';
  const reported = named === '' ? first.payment.payment_id : named;
  const own = trx('payments').where({ payment_id: payment.payment_id });
  // Another process may have written to a deposit that was settled long ago, since it was read.
  const known = await own.clone().forUpdate().first('details');
  const details = { ...known?.details, [possibleDuplicateDetail]: reported };
  await own.update({ details: JSON.stringify(details) as never, ...besides });
  const purchase = purchaseOf(now);
  const reference = cutText((purchase && referenceOf(purchase, payment)) ?? '', referenceShown);
  const detail = `${reference}: ${describe(first)}; then ${describe(now)}; ${payersOf(first, now)}`;
  await openCase(trx, payment.payment_id, { reason: 'duplicate_payment', detail });
  return details;
}

/** `1290.00 KES by stk, payment 0190…, asked at 2026-01-31T08:00:00.000Z, paid at …` */
function describe({ payment }: PaidPayment): string {
  const {
    instructed_currency: currency,
    confirmed_minor: minor,
    created_at: asked,
    finished_at: at,
  } = payment;
  const amount = `${formatAmount(BigInt(minor ?? 0), currency)} ${currency}`;
  const times = `requested at ${asked.toISOString()}, paid at ${at?.toISOString() ?? '-'}`;
  return `${amount} by ${payment.rail}, payment ${payment.payment_id}, ${times}`;
}

/** Whether the payers are the same. Phone numbers are personal data, and a case does not store them. */
function payersOf({ payer: one }: PaidPayment, { payer: other }: PaidPayment): string {
  if (one === undefined || other === undefined) return 'at least one payer is unknown';
  return one === other ? 'the same payer' : 'another payer';
}

/** The deposit whose money goes back, or returns, with this transition; undefined for any other. */
function depositOf({ kind, state, payment_id: id, parent_id: parent }: PaymentRow, before: PaymentRow) {
  if (kind === 'deposit') return isSettled(before.state) ? id : undefined;
  return kind === 'refund' && (state === 'succeeded' || state === 'returned') ? parent : undefined;
}

/** Whether the merchant has the money again: a refund was returned, or a dispute was won, in whole or in part. */
function isHereAgain(moved: PaymentRow, before: PaymentRow): boolean {
  if (moved.kind === 'deposit') return BigInt(moved.returned_minor) < BigInt(before.returned_minor);
  return moved.state === 'returned';
}

/**
 * Once the money of one of two payments has gone back, the other needs no case. Where a third has paid the same, the
 * payment is a duplicate of that one. Money that returned, such as a returned refund, reopens the case. It may also
 * open the first case: of a payment that was settled while the money was away.
 */
export async function reconsiderPaidTwice(
  trx: Transaction,
  context: PaymentsContext,
  moved: PaymentRow,
  before: PaymentRow,
): Promise<void> {
  const depositId = depositOf(moved, before);
  const key = depositId && (await lockReferenceOf(trx, depositId));
  if (!key) return;
  const paid = await readPaid(trx, context, key);
  if (isOfAccount(paid)) return withdrawQuestions(trx, paid);
  const isAgain = isHereAgain(moved, before);
  for (const [index, one] of paid.entries()) {
    const { payment_id: id } = one.payment;
    const { duplicate_of: reported } = one.reference;
    if (reported === null && !isAgain) continue;
    const first = firstOf(one, paid.slice(0, index), context.timeScale);
    if (reported === null) {
      if (first && !(await wasWithdrawn(trx, id))) await flagLate(trx, context, one, first);
      continue;
    }
    if (!first) {
      const which = depositId === id ? 'it' : `payment ${depositId}`;
      await settleCase(trx, id, 'duplicate_payment', `${which} was refunded to its payer`);
      continue;
    }
    const { payment_id: firstId } = first.payment;
    if (firstId !== reported) {
      await trx('paid_references').where({ payment_id: id }).update({ duplicate_of: firstId });
      await noteOnCase(trx, id, 'duplicate_payment', `now about payment ${firstId}`);
    }
    if (isAgain)
      await openCase(trx, id, {
        reason: 'duplicate_payment',
        detail: `the refunded money has been returned`,
      });
  }
}

async function flagLate(
  trx: Transaction,
  context: PaymentsContext,
  one: PaidPayment,
  first: PaidPayment,
): Promise<void> {
  await trx('paid_references')
    .where({ payment_id: one.payment.payment_id })
    .update({ duplicate_of: first.payment.payment_id });
  await flag(trx, context, one, first, nextChange(trx));
}

/**
 * For a payment that is no duplicate: whether an operator has dismissed its case, or the case was closed because the
 * reference is an account.
 */
async function wasWithdrawn(trx: Transaction, paymentId: string): Promise<boolean> {
  const asked = trx('cases').where({ payment_id: paymentId, reason: 'duplicate_payment' });
  return (await asked.whereNotNull('closed_at').first('case_id')) !== undefined;
}

// Whether a customer has paid the same purchase again. Pure: it compares the payments of one reference.

const hourMs = 3_600_000;

/** Two payments may be of one purchase when they were requested within this time. */
const withinMs = {
  order: 72 * hourMs,
  /** Where only an account's name may connect them: a customer who pays into an account each day has not paid twice. */
  account: 12 * hourMs,
};
/** A reference names an account, not a purchase, when it was paid this often within `rememberedMs`: */
const accountFrom = {
  /** by several payers, or with several amounts; */
  unalike: 3,
  /** by any payers. */
  any: 5,
};
const rememberedMs = 30 * 24 * hourMs;

/** A settled payment of the reference, and what our own refunds have given back of it. Minor units. */
interface PaidPayment {
  payment: PaymentRow;
  payer: string | undefined;
  /** Its reference may name an account instead of an order. */
  mayBeAccount: boolean;
  refundedMinor: bigint;
}

type PaidTwice<T> = { kind: 'single' | 'account' } | { kind: 'duplicate'; of: T };

/**
 * The key that payments of one purchase share; undefined for a payment without a reference. Users vary case and
 * blanks: `Order  77` is `ORDER 77`.
 */
function referenceKeyOf(purchase: Purchase, payment: PaymentRow): Buffer | undefined {
  const reference = referenceOf(purchase, payment)?.normalize('NFKC').trim().replaceAll(/\s+/g, ' ');
  if (!reference) return undefined;
  const parts = [payment.merchant_id, payment.currency, reference.toLowerCase()];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

function referenceOf(purchase: Purchase, payment: PaymentRow): string | undefined {
  const column = columnOf(purchase, payment);
  return (column && payment[column]) ?? undefined;
}

function columnOf({ reference }: Purchase, payment: PaymentRow) {
  return reference.find((column) => payment[column] !== null);
}

/** @param refundedMinor what our own refunds have given back of it. */
function paidOf(purchase: Purchase | undefined, payment: PaymentRow, refundedMinor: bigint): PaidPayment {
  const column = purchase && columnOf(purchase, payment);
  return {
    payment,
    payer: purchase && payerOf(purchase, payment),
    mayBeAccount: column !== undefined && column === purchase?.mayBeAccount,
    refundedMinor,
  };
}

/** Digits only: `+254…` and `254…` are one number. */
function payerOf({ payer }: Purchase, payment: PaymentRow): string | undefined {
  const digits = (payer && payment[payer])?.replaceAll(/\D/g, '');
  return digits === '' ? undefined : digits;
}

/**
 * @param before the payments of the reference that were settled before, oldest first.
 * @param timeScale the sandbox's durations are divided by it.
 */
function judgePaid<T extends PaidPayment>(
  now: PaidPayment,
  before: readonly T[],
  timeScale: number,
): PaidTwice<T> {
  if (isAccount(now, before, timeScale)) return { kind: 'account' };
  const of = firstOf(now, before, timeScale);
  return of ? { kind: 'duplicate', of } : { kind: 'single' };
}

/**
 * The payment that paid the purchase before: the oldest one with money left, where all the money left of such
 * payments and of this one exceeds the requested amount. Partial payments of a purchase are no duplicates of each
 * other.
 */
function firstOf<T extends PaidPayment>(
  now: PaidPayment,
  before: readonly T[],
  timeScale: number,
): T | undefined {
  const alike = before.filter(
    (other) =>
      other.payment.requested_minor === now.payment.requested_minor &&
      gapMs(other, now) <=
        withinMs[other.mayBeAccount && now.mayBeAccount ? 'account' : 'order'] / timeScale &&
      leftOf(other) > 0n,
  );
  const paid = alike.reduce((sum, other) => sum + leftOf(other), leftOf(now));
  return leftOf(now) > 0n && paid > BigInt(now.payment.requested_minor) ? alike[0] : undefined;
}

function isAccount(now: PaidPayment, before: readonly PaidPayment[], timeScale: number): boolean {
  const recent = before.filter((other) => gapMs(other, now) <= rememberedMs / timeScale);
  if (recent.length >= accountFrom.any) return true;
  const all = [...recent, now];
  const amounts = new Set(all.map(({ payment }) => payment.requested_minor));
  const payers = new Set(all.flatMap(({ payer }) => payer ?? []));
  return recent.length >= accountFrom.unalike && (amounts.size > 1 || payers.size > 1);
}

/** The time between two payments, including the time that the sandbox has added since the first. */
function gapMs(one: PaidPayment, other: PaidPayment): number {
  const begun = ({ payment }: PaidPayment) => payment.created_at.getTime() - Number(payment.clock_ahead_ms);
  return Math.abs(begun(one) - begun(other));
}

/** What the merchant still has of a payment, in minor units of the requested currency. */
function leftOf({ payment, refundedMinor }: PaidPayment): bigint {
  if (!isSettled(payment.state)) return 0n;
  const confirmed = BigInt(payment.confirmed_minor ?? 0);
  const left = confirmed - BigInt(payment.returned_minor) - refundedMinor;
  if (left <= 0n || payment.currency === payment.instructed_currency) return left;
  // The amount was converted for the provider: the whole confirmed amount is worth the requested amount.
  return (BigInt(payment.requested_minor) * left) / confirmed;
}

// The payments of a merchant's reference. A transaction that settles another payment of it locks the reference's
// first row until its COMMIT, so that of two concurrent payments one finds the other.

/** Most references are paid once: then this is the only statement. */
const take = `
  INSERT INTO paid_references (reference_key, n, payment_id, paid_at)
  SELECT :key, 1, :paymentId, :paidAt FROM merchants WHERE merchant_id = :merchantId AND duplicate_alert = 'on'
  ON DUPLICATE KEY UPDATE
    times = paid_references.times + 1,
    is_account = IF(paid_references.paid_at > :remembered, paid_references.is_account, 0),
    paid_at = :paidAt`;

/** @returns whether other payments have paid it before; false, too, where its merchant has switched this off. */
async function takeReference(
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

/** A payment's reference, with its first row locked; undefined for a payment without a known reference. */
export async function lockReferenceOf(trx: Transaction, paymentId: string): Promise<Buffer | undefined> {
  const row = await trx('paid_references').where({ payment_id: paymentId }).first('reference_key');
  if (!row) return undefined;
  await trx('paid_references').where({ reference_key: row.reference_key, n: 1 }).forUpdate().first('n');
  return row.reference_key;
}

interface PaidBefore extends PaidPayment {
  reference: Pick<PaidReferenceRow, 'n' | 'duplicate_of' | 'is_account'>;
}

/** A reference of a single purchase never has more payments. */
const readUpTo = 20;

/** The newest payments of a reference, oldest first. */
async function readPaid(
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

/** Adds a payment to a locked reference. */
async function addPaid(
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

/** A reference that is paid again and again names an account: its payments need no cases. */
async function markAccount(trx: Transaction, key: Buffer): Promise<void> {
  await trx('paid_references').where({ reference_key: key, n: 1 }).update({ is_account: 1 });
}

/** Closes the cases about earlier payments of a reference that is now known to be an account. */
async function withdrawQuestions(trx: Transaction, before: readonly PaidBefore[]): Promise<void> {
  for (const { payment, reference } of before) {
    if (reference.duplicate_of === null) continue;
    const { payment_id } = payment;
    await trx('paid_references').where({ payment_id }).update({ duplicate_of: null });
    await settleCase(trx, payment_id, 'duplicate_payment', 'the reference is an account');
  }
}

/** How long a process uses what it has read, in milliseconds, and how many references it caches. */
const known = { forMs: 3_600_000, most: 10_000 };
const accountsOf = new WeakMap<Database, Map<string, number>>();

/** Payments of a known account take no lock, so they do not wait for each other. */
function isKnownAccount(db: Database, key: Buffer): boolean {
  const since = accountsOf.get(db)?.get(key.toString('base64'));
  return since !== undefined && performance.now() - since < known.forMs;
}

/** @param key of a reference that is stored as an account. */
function knowAccount(db: Database, key: Buffer): void {
  const accounts = accountsOf.get(db) ?? new Map<string, number>();
  if (accounts.size >= known.most) accounts.clear();
  accountsOf.set(db, accounts.set(key.toString('base64'), performance.now()));
}

/**
 * Closes the case of a payment that is no duplicate. Its status no longer shows it, and no new case is opened.
 * @throws PaymentError NOT_FOUND when the case was closed in the meantime.
 */
export async function dismissDuplicate(
  db: Database,
  { caseId, second: { payment_id: paymentId } }: Pick<Duplicate, 'caseId' | 'second'>,
  { by, reason }: { by: string; reason: string },
  alongside: Alongside,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first('details');
    await lockReferenceOf(trx, paymentId);
    const { [possibleDuplicateDetail]: _, ...details } = payment?.details ?? {};
    await trx('payments')
      .where({ payment_id: paymentId })
      .update({ details: JSON.stringify(details) as never, ...nextChange(trx) });
    await trx('paid_references').where({ payment_id: paymentId }).update({ duplicate_of: null });
    await closeCase(trx, caseId, by, `no duplicate: ${reason}`);
    await alongside(trx);
  });
}
