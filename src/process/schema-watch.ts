/** Checks whether this code fits the database's schema. A newer version may migrate it at any time. */
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import type { Database } from '../store/database';
import { misfitOf, migrationStateOf } from '../store/migrating/migration-state';
import { isDatabaseUnavailable } from '../store/transaction';
import { StartError } from './serve';

const checkEveryMs = 2_000;

export interface SchemaWatch extends Repeating {
  /** Why this code cannot use the database, as of the last seconds; undefined if it can. */
  misfit(): string | undefined;
}

/**
 * Checks the schema at an interval. If the database is down, the check runs again later.
 * @param onMisfit called when the schema stops fitting while the process runs.
 * @throws StartError if the schema does not fit now.
 */
export async function watchSchema(
  db: Database,
  log: Log,
  onMisfit: () => void = () => undefined,
): Promise<SchemaWatch> {
  const seen: { misfit?: string | undefined } = { misfit: 'the database was not available at the start' };
  let isNewer = false;

  async function check(): Promise<void> {
    const standing = await migrationStateOf(db);
    seen.misfit = misfitOf(standing);
    const unknown = standing.unknown.map(({ name }) => name);
    if (unknown.length > 0 && !isNewer && seen.misfit === undefined)
      log.info('the database is newer than this version, which still works with it', { unknown });
    isNewer = unknown.length > 0;
  }

  const isAway = await check().then(
    () => false,
    (error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
      return true;
    },
  );
  if (seen.misfit !== undefined && !isAway) throw new StartError(seen.misfit);

  async function watch(): Promise<void> {
    const before = seen.misfit;
    // If the check fails, other queries fail too, and report it.
    await check().catch(() => undefined);
    const { misfit } = seen;
    if (misfit === before) return;
    if (misfit === undefined) {
      log.info('this version can work with its database');
    } else {
      log.error('this version cannot work with its database', { reason: misfit });
      onMisfit();
    }
  }
  const otherwise = 'the schema of the database could not be checked';
  return { misfit: () => seen.misfit, ...repeat(watch, { everyMs: checkEveryMs, log, otherwise }) };
}
