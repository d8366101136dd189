/** The workers write the digest of each past day of the ledger: soon after its end, and soon after a start. */
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import { shownHead } from '../ledger/chain';
import { writeDayDigests } from '../ledger/day-digests';
import type { Database } from '../store/database';

const checkEveryMs = 300_000;
const firstCheckMs = 20_000;

export function startDailyDigest(
  db: Database,
  { log, firstMs = firstCheckMs, everyMs = checkEveryMs }: { log: Log; firstMs?: number; everyMs?: number },
): Repeating {
  return repeat((signal) => writeAndLogDigests(db, log, () => !signal.aborted), {
    ...{ firstMs, everyMs, log },
    otherwise: 'the day digest could not be written; the worker tries again',
  });
}

/** Writes the digests that are due, and logs them. An error is logged too: the callers do not need it. */
export async function writeAndLogDigests(db: Database, log: Log, mayGoOn?: () => boolean): Promise<void> {
  try {
    for (const link of await writeDayDigests(db, mayGoOn)) {
      const { day, postings } = link;
      // An operator who archives the log can always compare it (malipo ledger check --head).
      log.info('the digest of a day of the ledger was written', { day, postings, head: shownHead(link) });
    }
  } catch (error) {
    log.warn('the day digest could not be written; the worker tries again', { error });
  }
}
