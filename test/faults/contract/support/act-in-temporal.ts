/** One payment of each kind is terminated, cancelled or reset in Temporal, as an operator can do in its UI. */
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { ended } from '../../../support/payments/timeline';
import type { Begun, ContractStage, Fault } from './stand';

export const uiActs = [
  'terminated while it waits',
  'cancelled while it waits',
  'reset while it waits',
  'terminated while its webhook is due again',
  'reset after its end',
] as const;
export type UiAct = (typeof uiActs)[number];

const timeoutMs = 60_000;

/** @returns the payments of every flow, by what was done to their workflow. */
export async function actInTemporal(stand: ContractStage): Promise<Map<string, Record<UiAct, Begun>>> {
  const { contract, stack, engine } = stand;
  // Nothing ends these before they are acted on: no notification comes, and no query is answered.
  const waiting: Fault[] = [
    { call: 'callback', behave: 'drop', times: contract.notifications },
    { call: contract.question.call, behave: '500', times: 1_000 },
  ];
  const handleOf = async (begun: Begun): Promise<WorkflowHandle> =>
    engine.client.workflow.getHandle((await begun.row()).workflow_id);

  const caught = new Map<string, Record<UiAct, Begun>>();
  const due: Begun[] = [];
  for (const [name, flow] of Object.entries(contract.flows)) {
    const begin = async (): Promise<Begun> => {
      const begun = await stand.begin(flow, 'pays', waiting);
      await begun.answer;
      await accepted(stand, begun);
      return begun;
    };
    const [terminated, cancelled, reset] = [await begin(), await begin(), await begin()];
    await (await handleOf(terminated)).terminate('a contract test');
    due.push(terminated);
    await (await handleOf(cancelled)).cancel();
    await resetToStart(stand, await handleOf(reset));

    const notified = await caughtWithWebhookDue(stand, flow);
    await (await handleOf(notified)).terminate('a contract test');
    const over = await stand.begin(flow, 'pays');
    await over.answer;
    await ended(stack.db, (await over.row()).payment_id, ['succeeded'], timeoutMs);
    await (await handleOf(over)).result();
    await resetToStart(stand, await handleOf(over));
    const { payment_id } = await notified.row();
    notified.merchant.receiver.answerWith((_request, response) => response.end('ok'));
    await stack.db('outbox').where({ payment_id, state: 'pending' }).update({ next_at: longAgo() });
    caught.set(name, {
      'terminated while it waits': terminated,
      'cancelled while it waits': cancelled,
      'reset while it waits': reset,
      'terminated while its webhook is due again': notified,
      'reset after its end': over,
    });
  }
  await stand.forgiveAll();
  // Recovery acts when a check is overdue, which takes a minute or more of real time.
  for (const begun of due) {
    const { payment_id } = await begun.row();
    await stack.db('payments').where({ payment_id }).update({ next_check_at: longAgo(), signals: 0 });
  }
  return caught;
}

const longAgo = () => new Date(Date.now() - 120_000);

async function accepted({ stack }: ContractStage, begun: Begun): Promise<void> {
  const { payment_id } = await begun.row();
  await waitFor(
    () => stack.db('attempts').where({ payment_id, operation: 'initiate', state: 'accepted' }).first(),
    { what: `${begun.customer} to be accepted`, timeoutMs },
  );
}

/** The merchant's server rejects the first attempt, and the next one is due later. */
async function caughtWithWebhookDue(stand: ContractStage, flow: Begun['flow']): Promise<Begun> {
  const merchant = await stand.createMerchant();
  const prepared = await stand.prepare(flow, 'pays', [], merchant);
  merchant.receiver.answerWith((_request, response) => {
    response.statusCode = 503;
    response.end();
  });
  const begun = stand.send(prepared);
  await begun.answer;
  const { payment_id } = await begun.row();
  await ended(stand.stack.db, payment_id, ['succeeded'], timeoutMs);
  await waitFor(
    () => stand.stack.db('outbox').where({ payment_id, state: 'pending' }).where('tries', '>', 0).first(),
    { what: `a rejected webhook of ${begun.customer}`, timeoutMs },
  );
  return begun;
}

/** As the UI's "reset to the first workflow task": a new run repeats every step. */
async function resetToStart({ engine }: ContractStage, handle: WorkflowHandle): Promise<void> {
  const { runId } = await handle.describe();
  // The submission is a local activity: its answer is stored before the workflow task is completed.
  const first = await waitFor(
    async () =>
      (await handle.fetchHistory()).events?.find(
        ({ workflowTaskCompletedEventAttributes: completed }) =>
          completed !== undefined && completed !== null,
      ),
    { what: `the first workflow task of ${handle.workflowId} to be completed`, timeoutMs },
  );
  await engine.client.workflowService.resetWorkflowExecution({
    namespace: engine.client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId, runId },
    reason: 'a contract test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: first.eventId ?? null,
  });
}
