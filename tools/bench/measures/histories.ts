import type { Client } from '@temporalio/client';
import { actionsOf } from './actions';
import { perPayment } from './cpu';
import { rounded, sum } from './statistics';

export interface HistoryFigures {
  events: number;
  /** How often a worker was given the workflow to go on with. */
  workflow_tasks: number;
  /** As Temporal itself sizes a history. */
  bytes: number;
  /** By kind, and all of them: see {@link actionsOf}. */
  actions: Record<string, number>;
}

/** What these workflows' histories hold on average, once each of them has ended. */
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
