/** Frees the claims of an API process soon after the process died. */
import { v7 as uuid } from 'uuid';
import type { Log } from '../../domain/log';
import type { Database } from '../../store/database';
import { startHeartbeat } from '../../store/heartbeat';
import { letStraysGo, type ClaimsOfProcess } from '../create/idempotency-claims';

const renewEveryMs = 500;

export interface ProcessLease extends ClaimsOfProcess {
  /** Releases the lease at once. */
  close(): Promise<void>;
}

/**
 * @param db two connections of its own, so that the lease is renewed however busy all others are, and however long a
 *   stray claim is locked.
 */
export async function startProcessLease(db: Database, log: Log): Promise<ProcessLease> {
  const own: ClaimsOfProcess = { processId: uuid(), live: new Set() };
  const heartbeat = await startHeartbeat(db, log, {
    kind: 'api',
    everyMs: renewEveryMs,
    processId: own.processId,
    besides: { 'claims of dead processes were released': () => letStraysGo(db, own) },
  });
  return { ...own, close: () => heartbeat.stop() };
}
