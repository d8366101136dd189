/** Time that the sandbox moves forward counts from what the database says, not from what the workflow has heard of it. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { AcceptanceAnswer, WorkflowStatus } from '../../../src/domain/commands';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { PaymentRow } from '../../../src/store/tables';
import { paymentRow } from '../../support/store/rows';
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
    const accepted = { kind: 'accepted' } as AcceptanceAnswer;
    worker = await startStubWorker('advance', {
      initiateInTask: () => Promise.resolve({ afterMs: 0 }),
      // Written down, and on its way to the workflow.
      initiate: async () => {
        isAsked = true;
        await answered;
        return { answer: accepted, ageMs: 0, state: 'pending', webhookIds: [] };
      },
      review: () =>
        Promise.resolve({ state: 'pending', webhookIds: [], unanswered: false, unconfirmed: false }),
    });
    ({ client } = worker);
  });
  afterAll(() => worker.stop());

  it('moves after the workflow has heard that the payment is accepted, once that is written down', async () => {
    const engine = stkEngine(worker, 'sandbox');
    const row = paymentRow(randomUUID(), { accepted_at: new Date() }) as unknown as PaymentRow;
    await engine.wake(row);
    await waitFor(() => Promise.resolve(isAsked), { what: 'the provider to be asked', timeoutMs: 20_000 });
    const handle = client.workflow.getHandle(row.workflow_id);
    const moving = engine.advance(row, 1_000);
    const hasTaken = async () =>
      (await handle.fetchHistory()).events?.some(
        (event) => event.workflowExecutionUpdateAcceptedEventAttributes,
      );
    await waitFor(hasTaken, { what: 'the workflow to take what we ask of it', timeoutMs: 20_000 });
    answer();
    await moving;
    const { timeline } = await handle.query<WorkflowStatus>('status');
    const told = timeline
      .map(({ text }) => text)
      .filter((text) => /^the (?:provider's answer|sandbox moved)/.test(text));
    expect(told).toEqual([
      "the provider's answer: accepted",
      'the sandbox moved the clock forward by 1000 ms',
    ]);
    await handle.terminate();
  });
});
