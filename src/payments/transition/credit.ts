/** In which currency a confirmed deposit reaches its merchant's wallet, and at which rate. */
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
  /** What `toMinor` is above the worth of what was paid: nothing, or less than nothing, which our fx accounts keep. */
  roundingMinor: bigint;
}

/**
 * What a confirmed amount is credited as. An order in the wallet's own currency is credited as ordered, at the rate it
 * was made with: the merchant priced it, and the buyer was asked for at least that.
 * @returns 'same_currency' where nothing is converted, and 'no_rate' where it cannot be just now.
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

/** The rate the order was made with, seen from the other side. */
async function quoteOfOrder(db: Database, { payment_id }: PaymentRow): Promise<Quote | undefined> {
  const row = await db('fx_quotes').where({ payment_id, purpose: 'instruct' }).first();
  if (!row) return undefined;
  const { base, quote, rate, source, observed_at: observedAt } = row;
  return { base: quote, quote: base, rate: restoredFrom(rate), source, observedAt };
}

/**
 * A success that is credited in another currency needs a rate. Without one nothing is booked and nothing is guessed:
 * the payment stays as it is, and is looked at again until a rate has come.
 */
export async function withCredit(
  { db }: PaymentsContext,
  payment: PaymentRow,
  decision: Decision,
): Promise<{ decision: Decision; credit?: Credit }> {
  const { outcome } = decision;
  const isCredit = payment.kind === 'deposit' && outcome?.to === 'succeeded';
  if (!isCredit || 'givenBackMinor' in outcome) return { decision };
  const credit = await creditFor(db, payment, outcome.amountMinor);
  if (credit === 'same_currency') return { decision };
  if (credit !== 'no_rate') return { decision, credit };
  const detail = `no fresh rate ${payment.instructed_currency} to ${payment.credited_currency ?? ''}`;
  const cases = [{ reason: 'rate_missing' as const, detail }];
  return { decision: { enrichment: outcome.finding, read: [], cases, unconfirmed: true } };
}

export function creditColumns({ toMinor }: Credit): Pick<PaymentRow, 'credited_minor'> {
  return { credited_minor: toMinor.toString() };
}

export function recordCredit(trx: Transaction, paymentId: string, credit: Credit): Promise<void> {
  return recordQuote(trx, { paymentId, purpose: 'credit', ...credit });
}

/** What the wallet receives: the confirmed amount itself, or what it was converted to. */
export function creditedOf(payment: PaymentRow): { currency: Currency; amountMinor: bigint } {
  if (payment.confirmed_minor === null)
    throw new Error(`payment ${payment.payment_id} has no confirmed amount`);
  if (payment.credited_minor === null || payment.credited_currency === null) {
    return { currency: payment.instructed_currency, amountMinor: BigInt(payment.confirmed_minor) };
  }
  return { currency: payment.credited_currency, amountMinor: BigInt(payment.credited_minor) };
}

/**
 * What the wallet gave up for what the provider gave back by itself: its share of the credit, rounded down, so that all of
 * it takes back exactly what was credited, and the parts of it add up.
 */
export function debitedFor(payment: PaymentRow, givenBackMinor: bigint): bigint {
  const { amountMinor } = creditedOf(payment);
  const confirmed = BigInt(payment.confirmed_minor ?? 0);
  return confirmed === 0n ? 0n : (amountMinor * givenBackMinor) / confirmed;
}

/**
 * What the wallet gives for refunds of ours of so much together: their share, rounded up, because we pay them. What went
 * back either way, once it is all of the payment, has taken exactly what was credited.
 */
export function debitedForRefunds(payment: PaymentRow, refundedMinor: bigint): bigint {
  const { amountMinor } = creditedOf(payment);
  return amountMinor - debitedFor(payment, BigInt(payment.confirmed_minor ?? 0) - refundedMinor);
}
