import type { Transaction } from '../store/database';
import type { Quote } from './rates';

export interface UsedQuote {
  paymentId: string;
  /** `instruct`: what the provider is told to move. `credit`: what the wallet receives. */
  purpose: 'instruct' | 'credit';
  quote: Quote;
  fromMinor: bigint;
  toMinor: bigint;
  /** What `toMinor` is above or below what the rate gives, rounded down: a minor unit more is asked, less is credited. */
  roundingMinor?: bigint;
}

/**
 * Keeps the rate a payment's money was converted at, in the transaction that uses it.
 * @throws a duplicate when it was converted for this purpose before: the same money has one rate.
 */
export async function recordQuote(trx: Transaction, used: UsedQuote): Promise<void> {
  const { paymentId, purpose, quote, fromMinor, toMinor, roundingMinor = 0n } = used;
  await trx('fx_quotes').insert({
    payment_id: paymentId,
    purpose,
    base: quote.base,
    quote: quote.quote,
    rate: quote.rate,
    source: quote.source,
    observed_at: quote.observedAt,
    from_minor: fromMinor.toString(),
    to_minor: toMinor.toString(),
    rounding_minor: roundingMinor.toString(),
    created_at: new Date(),
  });
}
