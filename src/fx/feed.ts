import type { Log } from '../domain/log';
import type { Database } from '../store/database';
import { classifyDatabaseError } from '../store/transaction';
import type { RateSource } from './source';

/**
 * Stores the current rates of the source. A rate that is already stored does not change, so several workers can do this at the
 * same time.
 * @returns how many rates are new.
 */
export async function refreshRates(
  db: Database,
  source: RateSource,
  log: Log,
  signal = new AbortController().signal,
): Promise<number> {
  const { observedAt, rates } = await source.read(signal);
  let stored = 0;
  for (const { base, quote, rate } of rates) {
    try {
      await db('fx_rates').insert({ base, quote, rate, source: source.name, observed_at: observedAt });
      stored += 1;
    } catch (error) {
      if (classifyDatabaseError(error) !== 'duplicate') throw error;
    }
  }
  if (stored > 0)
    log.info('exchange rates stored', { source: source.name, observed_at: observedAt, count: stored });
  return stored;
}
