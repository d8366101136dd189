/** Whether this code can work with its database as it is now: a newer version may migrate it at any time. */
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import type { Database } from '../store/database';
import { misfitOf, standingOf } from '../store/migrating/standing';
import { isDatabaseUnavailable } from '../store/transaction';
import { StartError } from './serve';

const lookEveryMs = 2_000;

export interface SchemaWatch extends Repeating {
  /** Why this code cannot work with the database, or undefined where it can, as seen in the last seconds. */
  misfit(): string | undefined;
}

/**
 * Looks now and again. A database that is away is looked at later, and until then nothing can be done with it.
 * @param onMisfit told when the database fits no longer while the process runs.
 * @throws StartError where the database does not fit now.
 */
export async function watchSchema(
  db: Database,
  log: Log,
  onMisfit: () => void = () => undefined,
): Promise<SchemaWatch> {
  const seen: { misfit?: string | undefined } = { misfit: 'the database has not been there yet' };
  let isNewer = false;

  async function look(): Promise<void> {
    const standing = await standingOf(db);
    seen.misfit = misfitOf(standing);
    const unknown = standing.unknown.map(({ name }) => name);
    if (unknown.length > 0 && !isNewer && seen.misfit === undefined)
      log.info('the database is newer than this version, which goes on', { unknown });
    isNewer = unknown.length > 0;
  }

  const isAway = await look().then(
    () => false,
    (error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
      return true;
    },
  );
  if (seen.misfit !== undefined && !isAway) throw new StartError(seen.misfit);

  async function watch(): Promise<void> {
    const before = seen.misfit;
    // What keeps us from looking keeps us from working, too, and is told there.
    await look().catch(() => undefined);
    const { misfit } = seen;
    if (misfit === before) return;
    if (misfit === undefined) {
      log.info('this version can work with its database');
    } else {
      log.error('this version cannot work with its database', { reason: misfit });
      onMisfit();
    }
  }
  const otherwise = 'it could not be seen whether this version can work with its database';
  return { misfit: () => seen.misfit, ...repeat(watch, { everyMs: lookEveryMs, log, otherwise }) };
}
