/**
 * A deposit that its provider has warned of may be taken back. Its amount is held in the wallet, as far as the wallet has
 * it, for as long as a person's case of it is open: it can neither be paid out nor withdrawn meanwhile.
 */
import type { CaseReason } from '../../controls/cases';
import { isSettled } from '../../domain/payment';
import { openAccount, type Account } from '../../ledger/accounts';
import { adjustHold } from '../../ledger/holds';
import { lockBalances } from '../../ledger/post-entry';
import type { Database, Transaction } from '../../store/database';
import type { CaseRow, HoldRow, PaymentRow } from '../../store/tables';
import { getPaymentOrThrow } from '../read/payments';
import { creditedOf, debitedFor } from './credit';
import { refundsOf } from './own-refunds';
import {
  goneBeforeReversal,
  heldFrom,
  heldFromDetails,
  isVouchedFor,
  toldMinorOf,
  warnedAtDetail,
  wasHeld,
  withDisputesOver,
  withoutReversal,
} from './warning-details';

/** What is open about a deposit while its money may still be taken back. */
export const contestedReasons = ['disputed', 'reversal_told'] as const satisfies readonly CaseReason[];

/** The accounts between which a deposit's money is held. */
export interface Contested {
  paymentId: string;
  from: Account;
  reserved: Account;
}

/** Opens the accounts, before the transaction begins. @returns undefined for what nobody has warned of. */
export async function contestedAccounts(
  db: Database,
  payment: PaymentRow,
  isWarnedNow = false,
): Promise<Contested | undefined> {
  const isWarned = isWarnedNow || payment.details[warnedAtDetail] !== undefined;
  if (payment.kind !== 'deposit' || !isWarned) return undefined;
  const owner = {
    merchantId: payment.merchant_id,
    currency: payment.credited_currency ?? payment.instructed_currency,
  };
  return {
    paymentId: payment.payment_id,
    from: await openAccount(db, { class: 'wallet', ...owner }),
    reserved: await openAccount(db, { class: 'wallet_reserved', ...owner }),
  };
}

/** Locks the payment: nobody warns of it, or refunds it, meanwhile. @returns it as it is now. */
export async function lockContested(
  trx: Transaction,
  { paymentId }: Pick<Contested, 'paymentId'>,
): Promise<PaymentRow> {
  const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
  if (!payment) throw new Error(`payment ${paymentId} does not exist`);
  return payment;
}

/**
 * Locks both accounts, before whatever its transaction books between them or on one of them. Other payments wait for them
 * from then on: all that is not booked is written before.
 */
export async function lockAccounts(
  trx: Transaction,
  { from, reserved }: Pick<Contested, 'from' | 'reserved'>,
): Promise<void> {
  await lockBalances(trx, [from, reserved]);
}

/** Holds what its open cases are about, or gives it back where none is open any more. Last in its transaction. */
export async function holdContested(trx: Transaction, contested: Contested): Promise<void> {
  const payment = await getPaymentOrThrow(trx, contested.paymentId);
  if (!isSettled(payment.state)) return;
  const reasons = isVouchedFor(payment) ? await openReasons(trx, payment.payment_id) : [];
  const hold = await trx('holds').where({ payment_id: payment.payment_id }).first();
  if (!hold && reasons.length === 0) return;
  // What a refund of ours gives back is no more to be held, from the moment that it is set aside for that.
  const ours = await refundsOf(trx, payment.payment_id);
  const takenMinor = debitedFor(payment, BigInt(payment.given_back_minor));
  const goneMinor = takenMinor + ours.debitedMinor;
  const isBegun = typeof hold?.gone_before === 'string';
  const goneBefore = isBegun
    ? BigInt(hold.gone_before ?? 0)
    : (heldBefore(payment, reasons) ?? (isTakenAlready(payment, reasons) ? ours.debitedMinor : goneMinor));
  if (!isBegun && reasons.includes('disputed')) await keepHeldFrom(trx, payment, goneBefore);
  const wantedMinor = wantedOf(payment, reasons, { goneMinor, goneBefore });
  await adjustHold(trx, {
    ...contested,
    wantedMinor,
    goneBefore: reasons.length === 0 ? undefined : goneBefore,
  });
}

/** The same after a person has closed a case. */
export async function holdAfterClosing(trx: Transaction, contested: Contested): Promise<void> {
  const { payment_id: paymentId, details } = await getPaymentOrThrow(trx, contested.paymentId);
  const reasons = await openReasons(trx, paymentId);
  const ended = reasons.includes('disputed') ? details : withDisputesOver(details);
  // What a person has closed is no part of the next reversal that is told of.
  const left = reasons.includes('reversal_told') ? ended : withoutReversal(ended);
  await trx('payments')
    .where({ payment_id: paymentId })
    .update({ details: JSON.stringify(left) as never });
  await holdContested(trx, contested);
}

/** What is taken back, or given back, is taken out of what is held of it first. */
export async function takeFromHold(
  trx: Transaction,
  contested: Contested,
  debitedMinor: bigint,
): Promise<void> {
  const hold = await trx('holds').where({ payment_id: contested.paymentId, state: 'open' }).first();
  if (!hold) return;
  const left = BigInt(hold.amount) - debitedMinor;
  const goneBefore = hold.gone_before === null ? undefined : BigInt(hold.gone_before);
  await adjustHold(trx, { ...contested, wantedMinor: left > 0n ? left : 0n, goneBefore });
}

/** What is held for an open case; undefined for a case of anything else. */
export function holdOfCase(
  { reason, closed_at: closed }: Pick<CaseRow, 'reason' | 'closed_at'>,
  hold: HoldRow | undefined,
): HoldRow | undefined {
  const isContested = closed === null && contestedReasons.some((contested) => contested === reason);
  return isContested && hold?.state === 'open' ? hold : undefined;
}

/** Minor units of the wallet that should be held and are not: its money was not there. */
export function shortOf({ state, amount, wanted }: HoldRow): bigint {
  return state === 'open' && wanted !== null ? BigInt(wanted) - BigInt(amount) : 0n;
}

/** A refund of a contested deposit takes what is held of it: whoever is refunded cannot have it once more. */
export async function contestedByRefund(
  db: Database,
  depositId: string | undefined,
): Promise<Contested | undefined> {
  return depositId === undefined ? undefined : contestedAccounts(db, await getPaymentOrThrow(db, depositId));
}

/** Of nothing but a dispute that it was held for before: what had gone then. */
function heldBefore(payment: PaymentRow, reasons: readonly string[]): bigint | undefined {
  return reasons.join() === 'disputed' ? heldFrom(payment) : undefined;
}

/** Reversed before its dispute was told of, and exactly what that names: it is the same money, and not the rest. */
function isTakenAlready(payment: PaymentRow, reasons: readonly string[]): boolean {
  const isFirst = reasons.join() === 'disputed' && !wasHeld(payment) && payment.state === 'reversed';
  return isFirst && toldMinorOf(payment, 'disputed') === BigInt(payment.given_back_minor);
}

/** Remembered beside the hold, which forgets it when it is over: the same dispute may be told of again. */
async function keepHeldFrom(trx: Transaction, payment: PaymentRow, goneBefore: bigint): Promise<void> {
  const details = { ...payment.details, ...heldFromDetails(payment, goneBefore) };
  await trx('payments')
    .where({ payment_id: payment.payment_id })
    .update({ details: JSON.stringify(details) as never });
}

async function openReasons(
  trx: Transaction,
  paymentId: string,
): Promise<(typeof contestedReasons)[number][]> {
  const rows = await trx('cases')
    .where({ payment_id: paymentId })
    .whereNull('closed_at')
    .whereIn('reason', contestedReasons)
    .select('reason');
  return contestedReasons.filter((reason) => rows.some((row) => row.reason === reason));
}

/** The most that one of the cases is about, less what has gone since, and no more than what is left of the credit. */
function wantedOf(
  payment: PaymentRow,
  reasons: readonly (typeof contestedReasons)[number][],
  { goneMinor, goneBefore }: { goneMinor: bigint; goneBefore: bigint },
): bigint {
  const { amountMinor: credited } = creditedOf(payment);
  const about = reasons.map((reason) => {
    const told = toldMinorOf(payment, reason);
    const aboutMinor = told === undefined ? credited : debitedFor(payment, told);
    // A dispute may be open since before: what it has had taken back is not what a reversal takes next.
    const before = reason === 'disputed' ? 0n : debitedFor(payment, goneBeforeReversal(payment));
    const from = before > goneBefore ? before : goneBefore;
    return aboutMinor - (goneMinor > from ? goneMinor - from : 0n);
  });
  const least = [about.reduce((most, one) => (one > most ? one : most), 0n), credited - goneMinor];
  const wanted = least.reduce((one, other) => (one < other ? one : other));
  return wanted > 0n ? wanted : 0n;
}
