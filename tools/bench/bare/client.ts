/** Starts bare workflows from a separate process, as our API does, driven by the same generator. */
import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { closedLoop, type ClosedLoopPlan } from '../load/closed-loop';
import { clockMs, type Pay } from '../load/payment';
import { openTemporalClient } from '../measures/temporal-client';
import { serveParent, settings } from './child';
import type { bare } from './workflow';

function barePay(client: Client, taskQueue: string): Pay {
  return async () => {
    const workflowId = `bare/${randomUUID()}`;
    await client.workflow.executeUpdateWithStart<typeof bare, string, []>('acceptance', {
      updateId: 'acceptance',
      startWorkflowOperation: new WithStartWorkflowOperation<typeof bare>('bare', {
        workflowId,
        taskQueue,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      }),
    });
    return { kind: 'accepted', id: workflowId, finished: finish(client, workflowId) };
  };
}

async function finish(client: Client, workflowId: string): Promise<number> {
  const handle = client.workflow.getHandle(workflowId);
  await handle.signal('outcomeReported');
  await handle.result();
  return clockMs();
}

async function main(): Promise<void> {
  const { temporal, taskQueue } = settings();
  const pay = barePay(await openTemporalClient(temporal), taskQueue);
  serveParent((plan) => closedLoop(pay, plan as ClosedLoopPlan));
}

void main();
