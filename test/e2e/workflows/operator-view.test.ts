/** What an operator sees and finds of a payment in the Temporal UI. Its activities are stubs. */
import type { WorkflowHandle } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { Activities, PaymentResult, Postponed, Review, StepResult } from '../../../src/domain/commands';
import { searchAttributes } from '../../../src/domain/search-attributes';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { paymentCommand, quietPolicy } from '../../support/workflows/commands';
import { startStubWorker, type StubWorker } from './stub-worker';

const onHold: Postponed = {
  ...{ afterMs: 0, why: 'payouts are paused', openCases: [] },
  hold: { reason: 'PAYOUTS_STOPPED' },
};

describe('the workflow of a payout in the Temporal UI', () => {
  let worker: StubWorker;
  let release: () => void;
  let found: Pick<Review, 'state' | 'openCases'> = { state: 'pending', openCases: [] };
  /** How it ended while it was on hold. */
  let ended: Pick<StepResult, 'state' | 'code'> | undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  beforeAll(async () => {
    const activities: Partial<Activities> = {
      async submitToProvider({ patient }) {
        if (!patient) return onHold;
        await released;
        const policy = quietPolicy({ checksMs: [3_600_000, 7_200_000], watchMs: 7_200_000 });
        if (ended) return { ...ended, webhookIds: [], ageMs: 0, policy, answer: { kind: 'accepted' } };
        return { ...{ state: 'pending', webhookIds: [], ageMs: 0, policy }, answer: { kind: 'accepted' } };
      },
      checkStatus: () => Promise.resolve({ ...found, webhookIds: [], unanswered: false, unconfirmed: false }),
    };
    worker = await startStubWorker('operator-view', activities);
  });
  afterAll(async () => {
    release();
    await worker.stop();
  });

  function start(knownHold: boolean): Promise<WorkflowHandle> {
    const command = paymentCommand({
      rail: 'momo',
      kind: 'payout',
      flow: 'disbursement',
      provider: 'pawaPay',
    });
    return worker.client.workflow.start('momoPayout', {
      workflowId: `operator-view:${command.reference}`,
      taskQueue: worker.taskQueue,
      args: [{ ...command, portal: 'https://portal.example.com/m/1/payments/2' }],
      typedSearchAttributes: new TypedSearchAttributes([
        { key: searchAttributes.reference, value: command.reference },
        { key: searchAttributes.status, value: 'pending' },
        { key: searchAttributes.onHold, value: knownHold },
      ]),
    });
  }

  const idOf = ({ workflowId }: WorkflowHandle) => workflowId.replace('operator-view:', '');
  const detailsOf = async (handle: WorkflowHandle) =>
    (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
  const shows = (handle: WorkflowHandle, what: string) =>
    waitFor(async () => (await detailsOf(handle)).includes(what), { what, timeoutMs: 30_000 });
  const isFound = (handle: WorkflowHandle, query: string) =>
    waitFor(
      async () =>
        (await worker.client.workflow.count(`MalipoReference = '${idOf(handle)}' AND ${query}`)).count === 1,
      { what: query, timeoutMs: 30_000 },
    );
  async function changesOf(handle: WorkflowHandle): Promise<Record<string, unknown>[]> {
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) => {
      const fields = upsert?.searchAttributes?.indexedFields;
      if (!fields) return [];
      const values = Object.entries(fields).map(([name, { data }]) => {
        const value: unknown = JSON.parse(Buffer.from(data ?? []).toString());
        return [name, Array.isArray(value) ? (value as unknown[])[0] : value];
      });
      return [Object.fromEntries(values) as Record<string, unknown>];
    });
  }

  it('is found while it is on hold or has a case, and says what to do, at one event for each change', async () => {
    const handle = await start(false);
    const known = await start(true);
    await shows(handle, '**On hold**: PAYOUTS_STOPPED, until an operator releases it: `malipo payouts list`');
    expect(await detailsOf(handle)).toContain('(https://portal.example.com/m/1/payments/2)');
    await isFound(handle, "ExecutionStatus = 'Running' AND MalipoOnHold = true AND MalipoStatus = 'pending'");
    expect(await changesOf(known)).toEqual([]);

    release();
    await shows(handle, 'status check 1 of 2');
    await isFound(handle, 'MalipoOnHold = false');
    found = { state: 'pending', openCases: ['amount_differs'] };
    await handle.signal('notification');
    await shows(handle, '**Open case**: amount_differs');
    await shows(handle, 'after a notification: stored notifications: pending');
    await isFound(handle, "MalipoOpenCase = true AND MalipoStatus = 'pending'");

    found = { state: 'failed', openCases: [] };
    await handle.signal('a source of a later version');
    await known.signal('operator');
    const result = (await handle.result()) as PaymentResult;
    expect(result).toMatchObject({
      status: 'failed',
      meaning:
        'The payment failed and its amount is available again. The workflow did its work, so it is Completed.',
      rail: 'momo',
      kind: 'payout',
      statusChecks: 2,
      openCases: [],
    });
    await known.result();
    await shows(handle, '**failed** since');
    expect(await changesOf(handle)).toEqual([
      { MalipoOnHold: true },
      { MalipoOnHold: false },
      { MalipoOpenCase: true },
      { MalipoStatus: 'failed', MalipoOpenCase: false },
    ]);
    expect(await changesOf(known)).toEqual([{ MalipoOnHold: false }, { MalipoStatus: 'failed' }]);
  });

  it.each([
    ['cancelled', undefined],
    ['failed', 'NOT_RELEASED'],
  ] as const)('shows no submission of a payout that was %s on hold', async (state, code) => {
    ended = { state, ...(code && { code }) };
    const handle = await start(false);
    expect(await handle.result()).toMatchObject({ status: state, statusChecks: 0 });
    const details = await detailsOf(handle);
    expect(details).toContain(`**${state}** since`);
    expect(details).toContain(': this run sent nothing. ');
    expect(details).not.toMatch(/Submission|answered/);
    ended = undefined;
  });

  it('goes on where a cancellation is requested, and says so', async () => {
    found = { state: 'pending', openCases: [] };
    const handle = await start(false);
    await shows(handle, 'status check 1 of 2');
    await handle.cancel();
    await shows(handle, 'A cancellation was requested in Temporal, and changes nothing');
    expect((await handle.describe()).status.name).toBe('RUNNING');
    found = { state: 'succeeded', openCases: [] };
    await handle.signal('notification');
    expect(await handle.result()).toMatchObject({ status: 'succeeded' });
  });
});
