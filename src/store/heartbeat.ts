/**
 * A running process renews its row. A migration does not remove what it needs, and its claims become free soon after it
 * died.
 */
import { v7 as uuid } from 'uuid';
import type { Log } from '../domain/log';
import { repeat, stopAll, type Repeating } from '../domain/repeat';
import type { Database } from './database';
import { forgetProcess, showAlive, type ProcessKind } from './processes';

const forgottenAfterDays = 1;

export interface HeartbeatOptions {
  kind: ProcessKind;
  everyMs: number;
  processId?: string;
  /** Further steps at the same interval, by name. None waits for another. */
  besides?: Record<string, () => Promise<unknown>>;
}

/** @returns a handle that stops it: the process is then marked as ended. */
export async function startHeartbeat(
  db: Database,
  log: Log,
  { kind, everyMs, processId = uuid(), besides = {} }: HeartbeatOptions,
): Promise<Repeating> {
  const failing = new Set<string>();
  const otherwise = 'the heartbeat of this process failed';
  /** Logs once that a step fails, however long, and once that it works again. */
  async function attempt(step: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      if (failing.delete(step)) log.info('the heartbeat of this process works again', { step });
    } catch (error) {
      if (!failing.has(step)) log.warn(otherwise, { step, error });
      failing.add(step);
    }
  }
  const again = (step: string, work: () => Promise<unknown>): Repeating =>
    repeat(() => attempt(step, work), { everyMs, log, otherwise });

  const renew = () => showAlive(db, processId, kind);
  await attempt('renew it', renew);
  await attempt('forget dead processes', () =>
    db.raw(`DELETE FROM processes WHERE seen_at < UTC_TIMESTAMP(3) - INTERVAL ${forgottenAfterDays} DAY`),
  );
  const renewing = again('renew it', renew);
  const others = Object.entries(besides).map(([step, work]) => again(step, work));
  return {
    async stop() {
      const othersOver = stopAll(others);
      await renewing.stop();
      await attempt('give it up', () => forgetProcess(db, processId));
      await othersOver;
    },
  };
}
