import type { Client } from '@temporalio/client';
import { actionsOf } from './actions';
import { perPayment } from './cpu';
import { rounded, sum } from './statistics';

export interface HistoryFigures {
  events: number;
  /** The number of workflow tasks. */
  workflow_tasks: number;
  /** The size of the history by Temporal's own count. */
  bytes: number;
  /** By kind, and in total: see {@link actionsOf}. */
  actions: Record<string, number>;
}

/** The average contents of these workflows' histories, after each has ended. */
export async function historiesOf(client: Client, workflowIds: readonly string[]): Promise<HistoryFigures> {
  const found: HistoryFigures[] = [];
  for (const workflowId of workflowIds) {
    const handle = client.workflow.getHandle(workflowId);
    await handle.result();
    const { events = [] } = await handle.fetchHistory();
    const tasks = events?.filter((event) => event.workflowTaskCompletedEventAttributes);
    const { historySize = 0 } = await handle.describe();
    found.push({
      events: events?.length ?? 0,
      workflow_tasks: tasks?.length ?? 0,
      bytes: historySize,
      actions: { ...actionsOf(events ?? []) },
    });
  }
  const average = (figure: 'events' | 'workflow_tasks' | 'bytes') =>
    rounded(sum(found.map((history) => history[figure])) / found.length);
  return {
    events: average('events'),
    workflow_tasks: average('workflow_tasks'),
    bytes: average('bytes'),
    actions: perPayment(
      found.map(({ actions }) => actions),
      found.length,
    ),
  };
}
