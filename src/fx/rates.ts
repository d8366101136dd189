import type { Currency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import type { FxRateRow } from '../store/tables';
import { inverseOf, plainDecimal } from './decimal';

/** A rate older than this is refused rather than guessed with. Milliseconds. */
export const rateMaxAgeMs = 6 * 3_600_000;

/** What one unit of `base` is worth in `quote`, as decimal text. */
export interface Quote {
  base: Currency;
  quote: Currency;
  rate: string;
  source: string;
  observedAt: Date;
}

/**
 * The newest rate that is fresh, observed for the pair itself or for its inverse; of two observed at the same time, the
 * pair's own. A rate observed in the future is nobody's observation and is left alone until its time has come.
 */
export async function findQuote(
  db: Database,
  base: Currency,
  quote: Currency,
  now = new Date(),
): Promise<Quote | undefined> {
  const row = await db('fx_rates')
    .whereIn(
      ['base', 'quote'],
      [
        [base, quote],
        [quote, base],
      ],
    )
    .where('observed_at', '>=', new Date(now.getTime() - rateMaxAgeMs))
    .where('observed_at', '<=', now)
    .orderBy('observed_at', 'desc')
    .orderByRaw('base = ? DESC', [base])
    .orderBy('rate_id', 'desc')
    .first();
  if (!row) return undefined;
  const rate = row.base === base ? plainDecimal(row.rate) : inverseOf(row.rate);
  return { base, quote, rate, source: row.source, observedAt: row.observed_at };
}

/** The newest rate of every pair that was ever observed, however old, in the order of their names. */
export async function newestRates(db: Database, now = new Date()): Promise<FxRateRow[]> {
  const newest = db('fx_rates')
    .where('observed_at', '<=', now)
    .groupBy('base', 'quote')
    .select('base', 'quote')
    .max('observed_at as observed_at')
    .as('newest');
  const rows = await db<FxRateRow>('fx_rates')
    .whereIn(['base', 'quote', 'observed_at'], db.select('base', 'quote', 'observed_at').from(newest))
    .orderBy(['base', 'quote', 'rate_id']);
  // Of two sources that observed at the same time, the one `findQuote` would take.
  return [...new Map(rows.map((row) => [`${row.base} ${row.quote}`, row])).values()];
}

interface UsedQuote {
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
