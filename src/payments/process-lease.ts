/** What shows that a process lives: what it had claimed is free again soon after it died. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { Log } from '../domain/log';
import type { Database } from '../store/database';

const renewEveryMs = 500;
/** A process that was not seen for this long is taken for dead. One that is slow loses its claims, and no money. */
export const leaseMs = 1_500;
const forgottenAfterDays = 1;

export interface ProcessLease {
  readonly processId: string;
  /** Gives it up at once. */
  close(): Promise<void>;
}

/** @param db connections of its own, so that a lease is renewed however busy all others are. */
export async function startProcessLease(db: Database, log: Log): Promise<ProcessLease> {
  const processId = uuid();
  const stopping = new AbortController();
  const renew = () =>
    db.raw(
      `INSERT INTO processes (process_id, seen_at) VALUES (?, UTC_TIMESTAMP(3))
       ON DUPLICATE KEY UPDATE seen_at = UTC_TIMESTAMP(3)`,
      [processId],
    );
  const attempt = (step: () => Promise<unknown>): Promise<unknown> =>
    step().catch((error: unknown) => {
      log.warn('the lease of this process could not be renewed', { error });
    });

  await attempt(async () => {
    await renew();
    await db.raw(
      `DELETE FROM processes WHERE seen_at < UTC_TIMESTAMP(3) - INTERVAL ${forgottenAfterDays} DAY`,
    );
  });
  const renewing = (async () => {
    const { signal } = stopping;
    for (;;) {
      await delay(renewEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await attempt(renew);
    }
  })();

  return {
    processId,
    async close() {
      stopping.abort();
      await renewing;
      await attempt(() => db('processes').where({ process_id: processId }).delete());
    },
  };
}
