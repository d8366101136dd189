import type { Client } from '@temporalio/client';
import { rounded, sum } from './statistics';

/** The average length of these workflows' histories, once each of them has ended. */
export async function historyEvents(client: Client, workflowIds: readonly string[]): Promise<number> {
  const counts: number[] = [];
  for (const workflowId of workflowIds) {
    const handle = client.workflow.getHandle(workflowId);
    await handle.result();
    const { events } = await handle.fetchHistory();
    counts.push(events?.length ?? 0);
  }
  return rounded(sum(counts) / counts.length);
}
