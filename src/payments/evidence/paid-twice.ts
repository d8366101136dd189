/** Whether a customer has paid the same purchase once more. Pure: the payments of one reference are looked at together. */
import { createHash } from 'node:crypto';
import { isSettled } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import type { Purchase } from '../rail/purchase';

const hourMs = 3_600_000;

/** Two payments are of one purchase that were asked for within this time of each other. */
const withinMs = {
  order: 72 * hourMs,
  /** Where nothing but an account's name may connect them: who pays into one each day has not paid twice. */
  account: 12 * hourMs,
};
/** A reference is an account, and names no purchase, that is paid more often than this within `rememberedMs`: */
const accountFrom = {
  /** by several payers, or with several amounts; */
  unalike: 3,
  /** by whomever. */
  any: 5,
};
export const rememberedMs = 30 * 24 * hourMs;

/** A payment of the reference that was settled, and what refunds of ours have given back of it. Minor units. */
export interface PaidPayment {
  payment: PaymentRow;
  payer: string | undefined;
  /** Its reference may be the name of an account, and no order's. */
  mayBeAccount: boolean;
  refundedMinor: bigint;
}

export type PaidTwice<T> = { kind: 'single' | 'account' } | { kind: 'duplicate'; of: T };

/**
 * What two payments of one purchase have in common; undefined for a payment without a reference. Letters and blanks are
 * those of people: `Order  77` is `ORDER 77`.
 */
export function referenceKeyOf(purchase: Purchase, payment: PaymentRow): Buffer | undefined {
  const reference = referenceOf(purchase, payment)?.normalize('NFKC').trim().replaceAll(/\s+/g, ' ');
  if (!reference) return undefined;
  const parts = [payment.merchant_id, payment.currency, reference.toLowerCase()];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

export function referenceOf(purchase: Purchase, payment: PaymentRow): string | undefined {
  const column = columnOf(purchase, payment);
  return (column && payment[column]) ?? undefined;
}

function columnOf({ reference }: Purchase, payment: PaymentRow) {
  return reference.find((column) => payment[column] !== null);
}

/** @param refundedMinor what refunds of ours have given back of it. */
export function paidOf(
  purchase: Purchase | undefined,
  payment: PaymentRow,
  refundedMinor: bigint,
): PaidPayment {
  const column = purchase && columnOf(purchase, payment);
  return {
    payment,
    payer: purchase && payerOf(purchase, payment),
    mayBeAccount: column !== undefined && column === purchase?.mayBeAccount,
    refundedMinor,
  };
}

/** Digits alone: `+254…` and `254…` are one number. */
function payerOf({ payer }: Purchase, payment: PaymentRow): string | undefined {
  const digits = (payer && payment[payer])?.replaceAll(/\D/g, '');
  return digits === '' ? undefined : digits;
}

/**
 * @param before the payments of the reference that were settled before, oldest first.
 * @param timeScale the sandbox's durations are divided by it.
 */
export function judgePaid<T extends PaidPayment>(
  now: PaidPayment,
  before: readonly T[],
  timeScale: number,
): PaidTwice<T> {
  if (isAccount(now, before, timeScale)) return { kind: 'account' };
  const of = firstOf(now, before, timeScale);
  return of ? { kind: 'duplicate', of } : { kind: 'single' };
}

/**
 * The payment that had paid the purchase before: the oldest of which something is left, where all that is left of such
 * payments and of this one is more than was asked. Parts of a purchase are no duplicates of each other.
 */
export function firstOf<T extends PaidPayment>(
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

/** Time that the sandbox has let pass since the first lies between them, too. */
function gapMs(one: PaidPayment, other: PaidPayment): number {
  const begun = ({ payment }: PaidPayment) => payment.created_at.getTime() - Number(payment.clock_ahead_ms);
  return Math.abs(begun(one) - begun(other));
}

/** What the merchant still has of a payment, in minor units of the currency that was asked. */
function leftOf({ payment, refundedMinor }: PaidPayment): bigint {
  if (!isSettled(payment.state)) return 0n;
  const confirmed = BigInt(payment.confirmed_minor ?? 0);
  const left = confirmed - BigInt(payment.given_back_minor) - refundedMinor;
  if (left <= 0n || payment.currency === payment.instructed_currency) return left;
  // Converted on its way to the provider: what was asked is what all of it is worth.
  return (BigInt(payment.requested_minor) * left) / confirmed;
}
