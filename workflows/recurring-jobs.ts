/**
 * The workflows that Temporal Schedules start (src/worker/schedules.ts). Operators pause and trigger them in the
 * Temporal UI.
 */
import { ApplicationFailure, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type {
  FloatCheck,
  JobActivities,
  StatementNight,
  StatementOfNight,
  Verification,
} from '../src/domain/recurring-jobs';

/** For all of them: a working activity sends heartbeats, so a killed worker is noticed soon. */
const heartbeatTimeout = '30s';

const { fetchStatement } = proxyActivities<JobActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout,
  // The next night fetches the same days again.
  scheduleToCloseTimeout: '20 hours',
  retry: { initialInterval: '10s', maximumInterval: '30 minutes' },
});
const { compareStatement } = proxyActivities<JobActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout,
  scheduleToCloseTimeout: '3 hours',
  retry: { initialInterval: '10s', maximumInterval: '10 minutes' },
});
const { pruneOldRows, verifyBooks } = proxyActivities<JobActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout,
  scheduleToCloseTimeout: '20 hours',
  retry: { initialInterval: '10s', maximumInterval: '10 minutes' },
});
const { checkFloats, refreshExchangeRates } = proxyActivities<JobActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout,
  // The next run comes in ten minutes, unless this one is still counting the bookings of days without a worker.
  scheduleToCloseTimeout: '50 minutes',
  retry: { initialInterval: '15s', maximumInterval: '2 minutes' },
});

/** Fetches and stores the statement of one provider account, then compares it with our books. */
export async function reconciliation({
  rail,
}: StatementNight): Promise<StatementOfNight & { unexplained: number }> {
  const at = workflowInfo().startTime.toISOString();
  const kept = await fetchStatement.executeWithOptions({ summary: 'fetch and store the statement' }, [
    { rail, at },
  ]);
  const compared = await compareStatement.executeWithOptions({ summary: 'compare it with our books' }, [
    { rail, ...kept },
  ]);
  return { ...kept, ...compared };
}

/** Deletes the rows that are older than their retention. */
export function prune(): Promise<Record<string, number>> {
  return pruneOldRows.executeWithOptions({ summary: 'delete what is older than its retention' }, []);
}

/** Checks every invariant of the books. It fails on a violation, so that operators see it. */
export async function verify(): Promise<Verification> {
  const found = await verifyBooks.executeWithOptions({ summary: 'check every invariant of the books' }, []);
  if (found.broken.length === 0) return found;
  const each = found.broken.map(({ check, violations }) => `${check} (${String(violations)})`).join(', ');
  throw ApplicationFailure.nonRetryable(
    `Invariants are violated: ${each}. Run malipo verify, and see the runbook.`,
    'INVARIANTS_BROKEN',
    found,
  );
}

/** A balance that still differs after this many answers is left to the next run. */
const answersMax = 5;

/** Compares the balances that providers report with our books. */
export async function floatCheck(): Promise<FloatCheck> {
  for (let n = 1; ; n += 1) {
    const summary =
      n === 1 ? 'query every provider for its balances' : 'query again, because a balance differs';
    const found = await checkFloats.executeWithOptions({ summary }, []);
    if (!found.isDoubted || n === answersMax) return found;
    await sleep('1 minute', { summary: 'a balance differs: query again' });
  }
}

/** Stores the present rates of the exchange-rate source. */
export function exchangeRates(): Promise<{ stored: number }> {
  return refreshExchangeRates.executeWithOptions({ summary: 'read the source of exchange rates' }, []);
}
