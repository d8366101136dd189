/**
 * A payment's fee for its merchant. The fee schedule is fixed when the payment is created. A collection's fee is
 * taken from the wallet at the credit. A payout's fee is reserved with the amount and taken when the payout is paid.
 */
import { notGone, isSettled } from '../../domain/payment';
import { amountAsNumber, formatAmount, type Currency } from '../../domain/money';
import { feeOf, feesInForce, feeTerms, nearestFee } from '../../fees/schedules';
import { openAccount, type Account } from '../../ledger/accounts';
import type { Entry } from '../../ledger/post-entry';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { amountNumber, amountText, currencyCode, maybe } from '../../rail-kit/answer-fields';
import { creditedOf } from './credit';

/** The fee's currency: that of the wallet, or of the float. A refund has no fee: the deposit was already charged. */
function currencyOf({ kind, currency, credited_currency, instructed_currency }: PaymentRow): Currency {
  return kind === 'deposit' ? (credited_currency ?? instructed_currency) : currency;
}

/**
 * Fixes the fees of new payments of one merchant, in the transaction that creates them: a payout's fee, or the
 * schedule that gives a collection's fee once the paid amount is known.
 */
export async function fixFees(trx: Transaction, payments: readonly PaymentRow[]): Promise<void> {
  const [first] = payments;
  if (!first || first.kind === 'refund') return;
  const inForce = await feesInForce(trx, first.merchant_id);
  for (const payment of payments) {
    const operation = payment.kind === 'payout' ? 'payout' : 'collection';
    const terms = nearestFee(inForce, { operation, rail: payment.rail, currency: currencyOf(payment) });
    payment.fee_id = terms?.fee_id ?? null;
    payment.fee_minor =
      terms && operation === 'payout' ? feeOf(terms, BigInt(payment.requested_minor)).toString() : null;
  }
}

/** The fee of a deposit that is credited now: based on the paid amount, not on the requested one. */
export async function chargeOf(
  trx: Transaction,
  db: Database,
  before: PaymentRow,
  entered: PaymentRow,
): Promise<Pick<PaymentRow, 'fee_minor'> | undefined> {
  const isCredited = entered.kind === 'deposit' && entered.state === 'succeeded' && !isSettled(before.state);
  if (!isCredited || entered.fee_id === null) return undefined;
  const terms = await feeTerms(db, trx, entered.fee_id);
  return { fee_minor: feeOf(terms, creditedOf(entered).amountMinor).toString() };
}

/** The fee's account, opened; undefined for a payment without a fee. */
export async function feesOf(db: Database, payment: PaymentRow): Promise<Account | undefined> {
  return payment.fee_id === null
    ? undefined
    : openAccount(db, { class: 'fees', currency: currencyOf(payment) });
}

/** The amount that a payout has reserved for its fee, in minor units. */
export function heldFeeOf({ kind, fee_minor: minor }: PaymentRow): bigint {
  return kind === 'payout' ? BigInt(minor ?? 0) : 0n;
}

/** The entry that transfers a fee, or a part of it; none where the amount is zero. */
export function feeEntry(
  { payment_id: paymentId }: PaymentRow,
  leg: string,
  { from, to, minor }: { from: Account; to: Account | undefined; minor: bigint },
): Entry[] {
  if (!to || minor === 0n) return [];
  const lines = [
    { account: from, amountMinor: -minor },
    { account: to, amountMinor: minor },
  ];
  return [{ source: { type: 'fee', id: paymentId, leg }, paymentId, lines }];
}

/** The returned part of a deposit's fee: the share of the money that its provider took back. Minor units. */
export function feeReturned(payment: PaymentRow, returnedMinor: bigint): bigint {
  const [fee, confirmed] = [BigInt(payment.fee_minor ?? 0), BigInt(payment.confirmed_minor ?? 0)];
  // A provider may report that more went back than was paid.
  return confirmed === 0n || returnedMinor >= confirmed ? fee : (fee * returnedMinor) / confirmed;
}

/** The present fee: reserved or taken. Minor units. */
function feeNow(payment: PaymentRow): bigint {
  const fee = BigInt(payment.fee_minor ?? 0);
  if (payment.kind === 'payout') return notGone.some((state) => state === payment.state) ? 0n : fee;
  return fee === 0n ? 0n : fee - feeReturned(payment, BigInt(payment.returned_minor));
}

const feeCurrency = maybe(currencyCode<Currency>('The currency of the fee', 'KES'));
export const feeInWordsFields = {
  fee: maybe(amountText('The fee of the payment, if there is one', '12.50')),
  fee_currency: feeCurrency,
};
export const feeFields = {
  fee: maybe(amountNumber('The fee of the payment, if there is one', 12.5)),
  fee_currency: feeCurrency,
};

/** The present fee and its currency; zero where there is none. */
export function chargedOf(payment: PaymentRow): { minor: bigint; currency: Currency } {
  return { minor: feeNow(payment), currency: currencyOf(payment) };
}

/** `fee` and its currency, as decimal text; nothing where there is none. */
export function feeInWords(payment: PaymentRow): { fee?: string; fee_currency?: Currency } {
  const minor = feeNow(payment);
  const currency = currencyOf(payment);
  return minor === 0n ? {} : { fee: formatAmount(minor, currency), fee_currency: currency };
}

/** The same, with the amount as a number. */
export function shownFee(payment: PaymentRow): { fee?: number; fee_currency?: Currency } {
  const minor = feeNow(payment);
  const currency = currencyOf(payment);
  return minor === 0n ? {} : { fee: amountAsNumber(minor, currency), fee_currency: currency };
}
