/** What shows that a process lives: what it had claimed is free again soon after it died. */
import { v7 as uuid } from 'uuid';
import type { Log } from '../../domain/log';
import { repeat, type Repeating } from '../../domain/repeat';
import type { Database } from '../../store/database';
import { forgetProcess, showAlive } from '../../store/processes';
import { letStraysGo, type ClaimsOfProcess } from '../acceptance/idempotency';

const renewEveryMs = 500;
const forgottenAfterDays = 1;

type Step = 'renew it' | 'forget dead processes' | 'let stray claims go' | 'give it up';

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
  const renew = () => showAlive(db, processId, 'api');
  const failing = new Set<Step>();
  /** Says once that a step fails, however long it does, and once that it works again. */
  async function attempt(step: Step, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      if (failing.delete(step)) log.info('the lease of this process is kept again', { step });
    } catch (error) {
      if (!failing.has(step)) log.warn('the lease of this process could not be kept', { step, error });
      failing.add(step);
    }
  }
  const again = (step: Step, work: () => Promise<unknown>): Repeating =>
    repeat(() => attempt(step, work), {
      ...{ everyMs: renewEveryMs, log },
      otherwise: 'the lease of this process could not be kept',
    });

  await attempt('renew it', renew);
  await attempt('forget dead processes', () =>
    db.raw(`DELETE FROM processes WHERE seen_at < UTC_TIMESTAMP(3) - INTERVAL ${forgottenAfterDays} DAY`),
  );
  const renewing = again('renew it', renew);
  const lettingGo = again('let stray claims go', () => letStraysGo(db, own));

  return {
    ...own,
    async close() {
      const letGo = lettingGo.stop();
      await renewing.stop();
      await attempt('give it up', () => forgetProcess(db, processId));
      await letGo;
    },
  };
}
