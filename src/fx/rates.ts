import type { Currency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import type { FxRateRow } from '../store/tables';
import { inverseOf, plainDecimal } from './decimal';

/** An older rate is not used. Milliseconds. */
export const rateMaxAgeMs = 6 * 3_600_000;

/** The value of one unit of `base` in `quote`, as decimal text. */
export interface Quote {
  base: Currency;
  quote: Currency;
  rate: string;
  source: string;
  observedAt: Date;
}

/** The newest fresh rate of the pair or of its inverse. A rate with a future time is not used before that time. */
export const findQuote = (
  db: Database,
  base: Currency,
  quote: Currency,
  now = new Date(),
): Promise<Quote | undefined> =>
  findNewest(db, [base, quote], { since: new Date(now.getTime() - rateMaxAgeMs), until: now });

/** The newest rate of the pair or of its inverse; of two rates with the same time, the pair's own. */
export async function findNewest(
  db: Database,
  [base, quote]: readonly [Currency, Currency],
  { since, until }: { since: Date; until?: Date },
): Promise<Quote | undefined> {
  const row = await db('fx_rates')
    .whereIn(
      ['base', 'quote'],
      [
        [base, quote],
        [quote, base],
      ],
    )
    .where('observed_at', '>=', since)
    .where((within) => void (until && within.where('observed_at', '<=', until)))
    .orderBy('observed_at', 'desc')
    .orderByRaw('base = ? DESC', [base])
    .orderBy('rate_id', 'desc')
    .first();
  if (!row) return undefined;
  const rate = row.base === base ? plainDecimal(row.rate) : inverseOf(row.rate);
  return { base, quote, rate, source: row.source, observedAt: row.observed_at };
}

/** The newest rate of every pair, of any age, in the order of their names. */
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
  // Of two sources with the same time, the one that `findQuote` takes.
  return [...new Map(rows.map((row) => [`${row.base} ${row.quote}`, row])).values()];
}

interface UsedQuote {
  paymentId: string;
  /** `instruct`: for the submitted amount. `credit`: for the credit of the wallet. */
  purpose: 'instruct' | 'credit';
  quote: Quote;
  fromMinor: bigint;
  toMinor: bigint;
  /** `toMinor` less the rounded-down result of the rate: a request may be a minor unit higher, a credit lower. */
  roundingMinor?: bigint;
}

/**
 * Stores the rate of a payment's conversion, in the transaction that uses it.
 * @throws a duplicate key error if the payment already has a rate for this purpose.
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
