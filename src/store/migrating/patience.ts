/** Waiting for those who use a table or its rows: never for long at once, and then again. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Statements } from '../migrations/migration';
import { NotMigrated } from './not-migrated';

const lockWaitTimeout = 1205;
const deadlock = 1213;

/** Whoever waits to alter a table has everybody wait who comes later: so for a short while, and then again. */
const lockWaitSeconds = 2;
const pauseMs = 500;

/** A statement may work for minutes before it is refused, and then time alone would leave it no other try. */
const triesMin = 3;

export async function waitShortly(session: Statements): Promise<void> {
  await session.raw('SET SESSION lock_wait_timeout = ?', [lockWaitSeconds]);
}

export interface Patience {
  /** What waits, as its sentence begins. */
  name: string;
  /** For how long, in seconds, it is tried again once it was refused. */
  patienceSeconds: number;
  /** Before each try but the first; where it throws NotMigrated, that counts as one that was refused. */
  again?: () => Promise<void>;
}

/** @throws NotMigrated when others use what it needs for longer. */
export async function patiently<T>(
  work: () => Promise<T>,
  { name, patienceSeconds, again }: Patience,
): Promise<T> {
  let until: number | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      if (tries > 1) await again?.();
      return await work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      until ??= performance.now() + patienceSeconds * 1_000;
      if (tries >= triesMin && performance.now() > until) {
        throw new NotMigrated(
          `${name} waits for rows or a table that others use for longer than ${String(patienceSeconds)} s; ` +
            'what is done stays done: migrate again when that is over',
          { cause: error },
        );
      }
      await delay(pauseMs);
    }
  }
}

function isRefusal(error: unknown): boolean {
  const { errno } = error as { errno?: number };
  return errno === lockWaitTimeout || errno === deadlock || error instanceof NotMigrated;
}
