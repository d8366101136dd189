/** Waits for users of a table or its rows: a short time, repeatedly. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Statements } from '../migrations/migration';
import { NotMigrated } from './not-migrated';

const lockWaitTimeout = 1205;
const deadlock = 1213;

/**
 * A statement that waits to alter a table blocks all later users. So it waits for a short time only, and is retried.
 */
const lockWaitSeconds = 2;
const pauseMs = 500;

/** A statement may run for minutes before it fails. Then the time alone would allow no second attempt. */
const triesMin = 3;

export async function limitLockWaits(session: Statements): Promise<void> {
  await session.raw('SET SESSION lock_wait_timeout = ?', [lockWaitSeconds]);
}

export interface LockWait {
  /** The migration or step, as the sentence begins. */
  name: string;
  /** How many seconds a rejected statement is retried. */
  patienceSeconds: number;
  /** Called before each attempt after the first; if it throws NotMigrated, the attempt counts as rejected. */
  again?: () => Promise<void>;
}

/** @throws NotMigrated if others use the table for longer. */
export async function withLockRetries<T>(
  work: () => Promise<T>,
  { name, patienceSeconds, again }: LockWait,
): Promise<T> {
  let until: number | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      if (tries > 1) await again?.();
      return await work();
    } catch (error) {
      if (!isLockError(error)) throw error;
      until ??= performance.now() + patienceSeconds * 1_000;
      if (tries >= triesMin && performance.now() > until) {
        throw new NotMigrated(
          `${name} waited over ${String(patienceSeconds)} s for rows or a table that others use; ` +
            'finished steps stay: migrate again later',
          { cause: error },
        );
      }
      await delay(pauseMs);
    }
  }
}

function isLockError(error: unknown): boolean {
  const { errno } = error as { errno?: number };
  return errno === lockWaitTimeout || errno === deadlock || error instanceof NotMigrated;
}
