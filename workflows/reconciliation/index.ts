import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { StatementActivities, StatementNight, StatementOfNight } from '../../src/domain/statement-night';

/** Of both: each is alive while it works, and a worker that was killed is missed soon. */
const heartbeatTimeout = '30s';

const { fetchStatement } = proxyActivities<StatementActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout,
  // The next night asks for the same days again.
  scheduleToCloseTimeout: '20 hours',
  retry: { initialInterval: '10s', maximumInterval: '30 minutes' },
});
const { compareStatement } = proxyActivities<StatementActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout,
  scheduleToCloseTimeout: '3 hours',
  retry: { initialInterval: '10s', maximumInterval: '10 minutes' },
});

/** The night of one provider account: its statement is fetched and kept, then compared with our books. */
export async function reconciliation({
  rail,
}: StatementNight): Promise<StatementOfNight & { unexplained: number }> {
  const at = workflowInfo().startTime.toISOString();
  const kept = await fetchStatement.executeWithOptions({ summary: 'fetch and keep the statement' }, [
    { rail, at },
  ]);
  const compared = await compareStatement.executeWithOptions({ summary: 'compare it with our books' }, [
    { rail, ...kept },
  ]);
  return { ...kept, ...compared };
}
