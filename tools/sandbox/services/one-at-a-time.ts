/** Work of minutes that all clones of one user share: two at once would only slow each other down. */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf, livingProcess } from './process-identity';

const everyMs = 500;

/**
 * Waits until no other process does this, then does it.
 * @param lock a file with the working process's name; a dead process's lock is taken over.
 */
export async function oneAtATime<T>(lock: string, work: () => Promise<T>): Promise<T> {
  while (!isTaken(lock)) await delay(everyMs);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/**
 * @returns whether it is ours now. Two that take over from the same dead process may both work, which is slower but
 * safe.
 */
function isTaken(lock: string): boolean {
  const mine = `${lock}.${String(process.pid)}.${randomUUID()}`;
  // Linked after it is written, so that no reader gets half a name.
  writeFileSync(mine, identityOf(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (livingProcess(holderOf(lock)) === undefined) rmSync(lock, { force: true });
    return false;
  } finally {
    rmSync(mine);
  }
}

/** It may be deleted by now. */
function holderOf(lock: string): string {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return '';
  }
}
