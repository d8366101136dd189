/** One migrator at a time. */
import type { Statements } from '../migrations/migration';
import { NotMigrated } from './not-migrated';

/** Idle for longer, a connection is closed: that of a machine which went away would keep its lock for hours. */
const idleSecondsMax = 300;

/** Of this schema: the name counts for the whole server, and may not be longer than 64 characters. */
const lockName = "CONCAT('malipo-migrate-', LEFT(SHA2(DATABASE(), 256), 32))";

/**
 * Does the work while nobody else does. The lock is the connection's: whoever is killed lets go of it once the server has
 * ended the statement that was under way, and not before.
 * @throws NotMigrated when another one is still at it after so long.
 */
export async function alone<T>(session: Statements, waitSeconds: number, work: () => Promise<T>): Promise<T> {
  await session.raw('SET SESSION wait_timeout = ?', [idleSecondsMax]);
  const [[{ got }]] = (await session.raw(`SELECT GET_LOCK(${lockName}, ?) AS got`, [waitSeconds])) as [
    [{ got: number | string | null }],
  ];
  if (Number(got) !== 1) {
    throw new NotMigrated(
      `another process migrates this database, and was not done in ${String(waitSeconds)} s; ` +
        'nothing was changed here: run malipo migrate status to see how far it is',
    );
  }
  try {
    return await work();
  } finally {
    // Where the connection is lost, so is the lock.
    await Promise.resolve(session.raw(`SELECT RELEASE_LOCK(${lockName})`)).catch(() => undefined);
  }
}
