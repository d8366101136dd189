/** What shows that a process lives: what it had claimed is free again soon after it died. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { Log } from '../domain/log';
import type { Database } from '../store/database';
import { letStraysGo, type ClaimsOfProcess } from './idempotency';

const renewEveryMs = 500;
const forgottenAfterDays = 1;

export interface ProcessLease extends ClaimsOfProcess {
  /** Gives it up at once. */
  close(): Promise<void>;
}

/**
 * @param db two connections of its own, so that a lease is renewed however busy all others are, and however long a
 *   stray claim is locked.
 */
export async function startProcessLease(db: Database, log: Log): Promise<ProcessLease> {
  const own: ClaimsOfProcess = { processId: uuid(), live: new Set() };
  const { processId } = own;
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
  async function repeat(step: () => Promise<unknown>): Promise<void> {
    const { signal } = stopping;
    for (;;) {
      await delay(renewEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await attempt(step);
    }
  }

  await attempt(async () => {
    await renew();
    await db.raw(
      `DELETE FROM processes WHERE seen_at < UTC_TIMESTAMP(3) - INTERVAL ${forgottenAfterDays} DAY`,
    );
  });
  const renewing = repeat(renew);
  const lettingGo = repeat(() => letStraysGo(db, own));

  return {
    ...own,
    async close() {
      stopping.abort();
      await renewing;
      await attempt(() => db('processes').where({ process_id: processId }).delete());
      await lettingGo;
    },
  };
}
