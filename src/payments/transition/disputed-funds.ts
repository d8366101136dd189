/**
 * The provider may take back a deposit that it has warned of. Its amount is reserved in the wallet, as far as the
 * balance allows, while a case about it is open. Reserved money can neither be paid out nor withdrawn.
 */
import type { CaseReason } from '../../controls/cases';
import { isSettled } from '../../domain/payment';
import { openAccount, type Account } from '../../ledger/accounts';
import { adjustHold } from '../../ledger/holds';
import { lockBalances } from '../../ledger/post-entry';
import type { Database, Transaction } from '../../store/database';
import type { CaseRow, HoldRow, PaymentRow } from '../../store/tables';
import { openCasesOf } from '../read/attention';
import { getPaymentOrThrow } from '../read/payments';
import { creditedOf, debitedFor } from './credit';
import { refundsOf } from './own-refunds';
import {
  debitedBeforeReversal,
  heldFrom,
  heldFromDetails,
  isVouchedFor,
  reportedMinorOf,
  warnedAtDetail,
  wasHeld,
  withDisputesOver,
  withoutReversal,
} from './warning-details';

/** The reasons of open cases about a deposit whose money may still be taken back. */
export const disputeReasons = ['disputed', 'reversal_reported'] as const satisfies readonly CaseReason[];

/** The accounts between which a deposit's money is reserved. */
export interface DisputedFunds {
  paymentId: string;
  from: Account;
  reserved: Account;
}

/** Opens the accounts, before the transaction begins. @returns undefined for a payment without a warning. */
export async function disputedAccounts(
  db: Database,
  payment: PaymentRow,
  isWarnedNow = false,
): Promise<DisputedFunds | undefined> {
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

/** Locks the payment against concurrent warnings and refunds. @returns it as it is now. */
export async function lockDisputed(
  trx: Transaction,
  { paymentId }: Pick<DisputedFunds, 'paymentId'>,
): Promise<PaymentRow> {
  const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
  if (!payment) throw new Error(`payment ${paymentId} does not exist`);
  return payment;
}

/**
 * Locks both accounts, before the transaction books between them or on one of them. Other payments wait for these
 * locks, so every write that is not a booking comes first.
 */
export async function lockAccounts(
  trx: Transaction,
  { from, reserved }: Pick<DisputedFunds, 'from' | 'reserved'>,
): Promise<void> {
  await lockBalances(trx, [from, reserved]);
}

/** Reserves the amount of the open cases, or releases it where no case is open any more. Last in its transaction. */
export async function reserveDisputed(trx: Transaction, disputedFunds: DisputedFunds): Promise<void> {
  const payment = await getPaymentOrThrow(trx, disputedFunds.paymentId);
  if (!isSettled(payment.state)) return;
  const reasons = isVouchedFor(payment) ? await openReasons(trx, payment.payment_id) : [];
  const hold = await trx('holds').where({ payment_id: payment.payment_id }).first();
  if (!hold && reasons.length === 0) return;
  // The amount of our own refund leaves the dispute's reserve when the refund reserves it.
  const ours = await refundsOf(trx, payment.payment_id);
  const takenMinor = debitedFor(payment, BigInt(payment.returned_minor));
  const goneMinor = takenMinor + ours.debitedMinor;
  const isBegun = typeof hold?.gone_before === 'string';
  const goneBefore = isBegun
    ? BigInt(hold.gone_before ?? 0)
    : (heldBefore(payment, reasons) ?? (isTakenAlready(payment, reasons) ? ours.debitedMinor : goneMinor));
  if (!isBegun && reasons.includes('disputed')) await keepHeldFrom(trx, payment, goneBefore);
  const wantedMinor = wantedOf(payment, reasons, { goneMinor, goneBefore });
  await adjustHold(trx, {
    ...disputedFunds,
    wantedMinor,
    goneBefore: reasons.length === 0 ? undefined : goneBefore,
  });
}

/** The same after an operator has closed a case. */
export async function holdAfterClosing(trx: Transaction, disputedFunds: DisputedFunds): Promise<void> {
  const { payment_id: paymentId, details } = await getPaymentOrThrow(trx, disputedFunds.paymentId);
  const reasons = await openReasons(trx, paymentId);
  const ended = reasons.includes('disputed') ? details : withDisputesOver(details);
  // The amount of a closed case does not count for the next reported reversal.
  const left = reasons.includes('reversal_reported') ? ended : withoutReversal(ended);
  await trx('payments')
    .where({ payment_id: paymentId })
    .update({ details: JSON.stringify(left) as never });
  await reserveDisputed(trx, disputedFunds);
}

/** An amount that is taken back or refunded reduces its reserve first. */
export async function takeFromHold(
  trx: Transaction,
  disputedFunds: DisputedFunds,
  debitedMinor: bigint,
): Promise<void> {
  const hold = await trx('holds').where({ payment_id: disputedFunds.paymentId, state: 'open' }).first();
  if (!hold) return;
  const left = BigInt(hold.amount) - debitedMinor;
  const goneBefore = hold.gone_before === null ? undefined : BigInt(hold.gone_before);
  await adjustHold(trx, { ...disputedFunds, wantedMinor: left > 0n ? left : 0n, goneBefore });
}

/** The reserve of an open case; undefined for a case of another kind. */
export function holdOfCase(
  { reason, closed_at: closed }: Pick<CaseRow, 'reason' | 'closed_at'>,
  hold: HoldRow | undefined,
): HoldRow | undefined {
  const isDisputed = closed === null && disputeReasons.some((disputedFunds) => disputedFunds === reason);
  return isDisputed && hold?.state === 'open' ? hold : undefined;
}

/** Minor units that should be reserved and are not, because the wallet did not have the money. */
export function shortOf({ state, amount, wanted }: HoldRow): bigint {
  return state === 'open' && wanted !== null ? BigInt(wanted) - BigInt(amount) : 0n;
}

/** A refund of a disputed deposit uses its reserve: the customer cannot receive the money twice. */
export async function disputedByRefund(
  db: Database,
  depositId: string | undefined,
): Promise<DisputedFunds | undefined> {
  return depositId === undefined ? undefined : disputedAccounts(db, await getPaymentOrThrow(db, depositId));
}

/** Where a dispute is the only reason, and had a reserve before: the amount that had gone back at that time. */
function heldBefore(payment: PaymentRow, reasons: readonly string[]): bigint | undefined {
  return reasons.join() === 'disputed' ? heldFrom(payment) : undefined;
}

/**
 * A reversal that came before its dispute was reported, with exactly the dispute's amount, is the same money: the
 * rest is not reserved.
 */
function isTakenAlready(payment: PaymentRow, reasons: readonly string[]): boolean {
  const isFirst = reasons.join() === 'disputed' && !wasHeld(payment) && payment.state === 'reversed';
  return isFirst && reportedMinorOf(payment, 'disputed') === BigInt(payment.returned_minor);
}

/**
 * Stored with the payment, because the reserve's row loses it at the end, and the same dispute may be reported again.
 */
async function keepHeldFrom(trx: Transaction, payment: PaymentRow, goneBefore: bigint): Promise<void> {
  const details = { ...payment.details, ...heldFromDetails(payment, goneBefore) };
  await trx('payments')
    .where({ payment_id: payment.payment_id })
    .update({ details: JSON.stringify(details) as never });
}

async function openReasons(trx: Transaction, paymentId: string): Promise<(typeof disputeReasons)[number][]> {
  const open = await openCasesOf(trx, paymentId);
  return disputeReasons.filter((reason) => open.includes(reason));
}

/** The largest amount of the cases, minus what has gone back since, and at most what is left of the credit. */
function wantedOf(
  payment: PaymentRow,
  reasons: readonly (typeof disputeReasons)[number][],
  { goneMinor, goneBefore }: { goneMinor: bigint; goneBefore: bigint },
): bigint {
  const { amountMinor: credited } = creditedOf(payment);
  const about = reasons.map((reason) => {
    const reported = reportedMinorOf(payment, reason);
    const aboutMinor = reported === undefined ? credited : debitedFor(payment, reported);
    // A dispute may be open from before: money that was taken back for it does not count for the reversal.
    const before = reason === 'disputed' ? 0n : debitedFor(payment, debitedBeforeReversal(payment));
    const from = before > goneBefore ? before : goneBefore;
    return aboutMinor - (goneMinor > from ? goneMinor - from : 0n);
  });
  const least = [about.reduce((most, one) => (one > most ? one : most), 0n), credited - goneMinor];
  const wanted = least.reduce((one, other) => (one < other ? one : other));
  return wanted > 0n ? wanted : 0n;
}
