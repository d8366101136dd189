/** The questions that operators answer in the Temporal UI, each with its query: in docs/temporal.md, the portal and `npm start`. */

export interface WorkflowQuery {
  /** As docs/temporal.md asks it. */
  question: string;
  query: string;
}

const running = "ExecutionStatus = 'Running'";
const undecided = `${running} AND MalipoStatus IN ('pending', 'queued', 'processing')`;
/** Our payments and vouchers, and no recurring job. */
const ours = 'MalipoMerchant IS NOT NULL';

/** @param now the present moment: queries know no relative time. */
export function workflowQueries(
  now: Date,
): Record<
  'open' | 'old' | 'onHold' | 'openCases' | 'queued' | 'failedToday' | 'undelivered' | 'ended',
  WorkflowQuery
> {
  const before = (ms: number) => `'${new Date(now.getTime() - ms).toISOString().slice(0, 19)}Z'`;
  const hour = 3_600_000;
  return {
    open: {
      question: 'Which payments wait for a result?',
      query: undecided,
    },
    old: {
      question: 'Which of them are older than an hour?',
      query: `${undecided} AND StartTime < ${before(hour)}`,
    },
    onHold: { question: 'Which payouts are on hold?', query: `${running} AND MalipoOnHold = true` },
    openCases: { question: 'Which payments have an open case?', query: 'MalipoOpenCase = true' },
    queued: {
      question: 'Which payouts wait in a network or for their recipient?',
      query: `${running} AND MalipoStatus = 'queued'`,
    },
    failedToday: {
      question: 'What failed in the last 24 hours?',
      query: `MalipoStatus IN ('failed', 'cancelled', 'timed_out', 'returned', 'reversed') AND StartTime > ${before(24 * hour)}`,
    },
    undelivered: {
      question: 'Which ended payments still owe a webhook?',
      query: `${running} AND MalipoStatus IN ('succeeded', 'failed', 'cancelled', 'refunded', 'returned', 'reversed')`,
    },
    ended: {
      question: 'Which workflows did somebody end in Temporal?',
      query: `ExecutionStatus IN ('Terminated', 'Canceled', 'Failed', 'TimedOut') AND ${ours}`,
    },
  };
}

/** The list of workflows in the Temporal UI, with the query filled in. */
export function workflowListUrl(
  { temporalUiUrl, temporalNamespace }: { temporalUiUrl: string; temporalNamespace: string },
  { query }: WorkflowQuery,
): string {
  return `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows?query=${encodeURIComponent(query)}`;
}
