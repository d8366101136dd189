/** In which currency a confirmed deposit reaches its merchant's wallet, and at which rate. */
import { convertMinor } from '../fx/convert';
import { recordQuote } from '../fx/quotes';
import { findQuote, type Quote } from '../fx/rates';
import type { Currency } from '../domain/money';
import type { Transaction } from '../store/database';
import type { PaymentRow } from '../store/tables';
import type { PaymentsContext } from './context';
import type { Decision } from './decide';

export interface Credit {
  quote: Quote;
  fromMinor: bigint;
  toMinor: bigint;
}

/**
 * A success that is credited in another currency needs a fresh rate. Without one nothing is booked and nothing is
 * guessed: the payment stays as it is, and is looked at again until a rate has come.
 */
export async function withCredit(
  { db }: PaymentsContext,
  payment: PaymentRow,
  decision: Decision,
): Promise<{ decision: Decision; credit?: Credit }> {
  const { outcome } = decision;
  const wanted = payment.credited_currency;
  if (outcome?.to !== 'succeeded' || wanted === null || wanted === payment.instructed_currency) {
    return { decision };
  }
  const quote = await findQuote(db, payment.instructed_currency, wanted);
  if (!quote) {
    const detail = `no fresh rate ${payment.instructed_currency} to ${wanted}`;
    const cases = [{ reason: 'rate_missing' as const, detail }];
    return { decision: { enrichment: outcome.finding, read: [], cases, unconfirmed: true } };
  }
  const fromMinor = outcome.amountMinor;
  return { decision, credit: { quote, fromMinor, toMinor: convertMinor(fromMinor, quote) } };
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
