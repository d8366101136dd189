/** The currency and the rate at which a confirmed deposit is credited to its merchant's wallet. */
import type { Currency } from '../../domain/money';
import { convertMinor } from '../../fx/convert';
import { restoredFrom } from '../../fx/decimal';
import { recordQuote, findQuote, type Quote } from '../../fx/rates';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Decision } from './outcome-decision';

export interface Credit {
  quote: Quote;
  fromMinor: bigint;
  toMinor: bigint;
  /** How much `toMinor` exceeds the value of the paid amount: zero or negative. Our fx accounts keep the difference. */
  roundingMinor: bigint;
}

/**
 * The credit of a confirmed amount. An order in the wallet's own currency is credited as ordered, at the order's
 * rate: the merchant set the price, and the buyer was asked for at least that amount.
 * @returns 'same_currency' where nothing is converted, and 'no_rate' where no rate is available now.
 */
export async function creditFor(
  db: Database,
  payment: PaymentRow,
  confirmedMinor: bigint,
): Promise<Credit | 'same_currency' | 'no_rate'> {
  const { credited_currency: wanted, instructed_currency: paidIn } = payment;
  if (wanted === null || wanted === paidIn) return 'same_currency';
  const isAsOrdered = wanted === payment.currency && confirmedMinor === BigInt(payment.instructed_minor);
  const ordered = isAsOrdered ? await quoteOfOrder(db, payment) : undefined;
  if (ordered) {
    const toMinor = BigInt(payment.requested_minor);
    const roundingMinor = toMinor - convertMinor(confirmedMinor, ordered);
    return { quote: ordered, fromMinor: confirmedMinor, toMinor, roundingMinor };
  }
  const quote = await findQuote(db, paidIn, wanted);
  if (!quote) return 'no_rate';
  const toMinor = convertMinor(confirmedMinor, quote);
  return { quote, fromMinor: confirmedMinor, toMinor, roundingMinor: 0n };
}

/** The order's rate, in the opposite direction. */
async function quoteOfOrder(db: Database, { payment_id }: PaymentRow): Promise<Quote | undefined> {
  const row = await db('fx_quotes').where({ payment_id, purpose: 'instruct' }).first();
  if (!row) return undefined;
  const { base, quote, rate, source, observed_at: observedAt } = row;
  return { base: quote, quote: base, rate: restoredFrom(rate), source, observedAt };
}

/**
 * A success that is credited in another currency needs a rate. Without a rate nothing is booked or guessed: the
 * payment stays as it is, and is checked again until a rate is available.
 */
export async function withCredit(
  { db }: PaymentsContext,
  payment: PaymentRow,
  decision: Decision,
): Promise<{ decision: Decision; credit?: Credit }> {
  const { outcome } = decision;
  const isCredit = payment.kind === 'deposit' && outcome?.to === 'succeeded';
  if (!isCredit || 'returnedMinor' in outcome) return { decision };
  const credit = await creditFor(db, payment, outcome.amountMinor);
  if (credit === 'same_currency') return { decision };
  if (credit !== 'no_rate') return { decision, credit };
  const detail = `no current rate ${payment.instructed_currency} to ${payment.credited_currency ?? ''}`;
  const cases = [{ reason: 'rate_missing' as const, detail }];
  return { decision: { enrichment: outcome.providerResult, read: [], cases, unconfirmed: true } };
}

export function creditColumns({ toMinor }: Credit): Pick<PaymentRow, 'credited_minor'> {
  return { credited_minor: toMinor.toString() };
}

export function recordCredit(trx: Transaction, paymentId: string, credit: Credit): Promise<void> {
  return recordQuote(trx, { paymentId, purpose: 'credit', ...credit });
}

/** The amount that the wallet receives: the confirmed amount, or its conversion. */
export function creditedOf(payment: PaymentRow): { currency: Currency; amountMinor: bigint } {
  if (payment.confirmed_minor === null)
    throw new Error(`payment ${payment.payment_id} has no confirmed amount`);
  if (payment.credited_minor === null || payment.credited_currency === null) {
    return { currency: payment.instructed_currency, amountMinor: BigInt(payment.confirmed_minor) };
  }
  return { currency: payment.credited_currency, amountMinor: BigInt(payment.credited_minor) };
}

/**
 * The wallet's debit for the amount that the provider gave back by itself: its share of the credit, rounded down. A
 * full return therefore debits exactly the credit, and its parts add up.
 */
export function debitedFor(payment: PaymentRow, returnedMinor: bigint): bigint {
  const { amountMinor } = creditedOf(payment);
  const confirmed = BigInt(payment.confirmed_minor ?? 0);
  return confirmed === 0n ? 0n : (amountMinor * returnedMinor) / confirmed;
}

/**
 * The wallet's debit for our own refunds of this total: their share, rounded up, because we pay them. Once all of the
 * payment has gone back either way, the debits equal the credit exactly.
 */
export function debitedForRefunds(payment: PaymentRow, refundedMinor: bigint): bigint {
  const { amountMinor } = creditedOf(payment);
  return amountMinor - debitedFor(payment, BigInt(payment.confirmed_minor ?? 0) - refundedMinor);
}
