/** Time that the sandbox advances counts from the database's clock offset, not from what the workflow knows of it. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { SubmissionAnswer, WorkflowStatus } from '../../../src/domain/commands';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { PaymentRow } from '../../../src/store/tables';
import { paymentRow } from '../../support/store/rows';
import { quietPolicy } from '../../support/workflows/commands';
import { stkEngine } from './stk-engine';
import { startStubWorker, type StubWorker } from './stub-worker';

describe('the clock of a payment', () => {
  let client: Client;
  let worker: StubWorker;
  let isAsked = false;
  let answer: () => void;
  beforeAll(async () => {
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const accepted = { kind: 'accepted' } as SubmissionAnswer;
    worker = await startStubWorker('advance', {
      // Stored, and on its way to the workflow.
      submitToProvider: async ({ patient }) => {
        if (!patient) return { afterMs: 0 };
        isAsked = true;
        await answered;
        return { answer: accepted, ageMs: 0, state: 'pending', webhookIds: [], policy: quietPolicy() };
      },
      checkStatus: () =>
        Promise.resolve({ state: 'pending', webhookIds: [], unanswered: false, unconfirmed: false }),
    });
    ({ client } = worker);
  });
  afterAll(() => worker.stop());

  it('moves after the workflow knows that the payment is accepted, once that is stored', async () => {
    const engine = stkEngine(worker, 'sandbox');
    const row = paymentRow(randomUUID(), { accepted_at: new Date() }) as unknown as PaymentRow;
    await engine.signalOrStart(row, 'merchant');
    await waitFor(() => Promise.resolve(isAsked), { what: 'the provider to be queried', timeoutMs: 20_000 });
    const handle = client.workflow.getHandle(row.workflow_id);
    const moving = engine.advance(row, 1_000);
    const hasTaken = async () =>
      (await handle.fetchHistory()).events?.some(
        (event) => event.workflowExecutionUpdateAcceptedEventAttributes,
      );
    await waitFor(hasTaken, { what: 'the workflow to get our update', timeoutMs: 20_000 });
    answer();
    await moving;
    const { timeline } = await handle.query<WorkflowStatus>('status');
    const reported = timeline
      .map(({ text }) => text)
      .filter((text) => /^the (?:provider's answer|sandbox moved)/.test(text));
    expect(reported).toEqual([
      "the provider's answer: accepted",
      'the sandbox moved the clock forward by 1000 ms',
    ]);
    await handle.terminate();
  });
});
