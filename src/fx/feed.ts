import type { Log } from '../domain/log';
import type { Database } from '../store/database';
import { classifyDatabaseError } from '../store/transaction';
import { differsBeyond } from './decimal';
import { findNewest } from './rates';
import { RateSourceError, type RateSource } from './source';

/** A new rate is compared with a stored one of at most this age. */
const comparedForMs = 7 * 86_400_000;

interface Reading {
  /** The largest factor between a rate and the stored one before it. */
  jumpMax: number;
  signal?: AbortSignal;
}

/**
 * Stores the current rates of the source. A rate that is already stored does not change, so several workers can do this at the
 * same time. A rate that jumps is not stored: a source may shift the decimal point, or invert a pair.
 * @returns how many rates are new.
 * @throws RateSourceError if a rate jumps, after the other rates are stored.
 */
export async function refreshRates(
  db: Database,
  source: RateSource,
  log: Log,
  { jumpMax, signal = new AbortController().signal }: Reading,
): Promise<number> {
  const { observedAt, rates } = await source.read(signal);
  const jumped: string[] = [];
  let stored = 0;
  for (const { base, quote, rate } of rates) {
    const row = { base, quote, source: source.name, observed_at: observedAt };
    const before = await findNewest(db, [base, quote], { since: new Date(Date.now() - comparedForMs) });
    if (before && differsBeyond(jumpMax, rate, before.rate)) {
      if (await db('fx_rates').where(row).first('rate_id')) continue;
      const pair = `${base}/${quote}`;
      jumped.push(pair);
      log.error('exchange rate jumped: not stored; if it is right, raise MALIPO_FX_JUMP_MAX', {
        ...{ pair, rate, stored_rate: before.rate, jump_max: jumpMax },
        ...{ source: source.name, observed_at: observedAt, stored_observed_at: before.observedAt },
      });
      continue;
    }
    try {
      await db('fx_rates').insert({ ...row, rate });
      stored += 1;
    } catch (error) {
      if (classifyDatabaseError(error) !== 'duplicate') throw error;
    }
  }
  if (stored > 0)
    log.info('exchange rates stored', { source: source.name, observed_at: observedAt, count: stored });
  if (jumped.length > 0) throw new RateSourceError(`exchange rates jumped: ${jumped.join(', ')}`);
  return stored;
}
