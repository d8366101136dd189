/** The workers seal the days of the ledger that are over: soon after they are, and soon after a start. */
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import { shownHead } from '../ledger/chain';
import { sealDays } from '../ledger/day-digests';
import type { Database } from '../store/database';

const lookEveryMs = 300_000;
const firstLookMs = 20_000;

export function startDailySeal(
  db: Database,
  { log, firstMs = firstLookMs, everyMs = lookEveryMs }: { log: Log; firstMs?: number; everyMs?: number },
): Repeating {
  return repeat((signal) => sealAndTell(db, log, () => !signal.aborted), {
    ...{ firstMs, everyMs, log },
    otherwise: 'the ledger could not be sealed; it is tried again',
  });
}

/** Seals what is due, and says so in the log. Where it cannot be done, that is logged, too: nobody who calls needs it. */
export async function sealAndTell(db: Database, log: Log, mayGoOn?: () => boolean): Promise<void> {
  try {
    for (const link of await sealDays(db, mayGoOn)) {
      const { day, postings } = link;
      // Whoever keeps the log elsewhere can compare it for ever (malipo ledger check --head).
      log.info('a day of the ledger is sealed', { day, postings, head: shownHead(link) });
    }
  } catch (error) {
    log.warn('the ledger could not be sealed; it is tried again', { error });
  }
}
