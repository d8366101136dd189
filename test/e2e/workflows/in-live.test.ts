/** A workflow's data and updates in live, as the engine starts it there. No payment belongs to these workflows. */
import { randomUUID } from 'node:crypto';
import { WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { names } from '../../../src/domain/commands';
import { createVoucherEngine } from '../../../src/vouchers/voucher-engine';
import type { PaymentRow, VoucherRow } from '../../../src/store/tables';
import { paymentRow } from '../../support/store/rows';
import { silentLog } from '../../support/silent-log';
import { stkEngine } from './stk-engine';
import { startStubWorker, type StubWorker } from './stub-worker';

describe('the workflow of a payment', () => {
  let client: Client;
  let taskQueue: string;
  let worker: StubWorker;
  beforeAll(async () => {
    // The workflow waits after registering its handlers: nothing sends its submission.
    worker = await startStubWorker('in-live', {
      submitToProvider: () => Promise.resolve({ afterMs: 60_000 }),
    });
    ({ client, taskQueue } = worker);
  });
  afterAll(() => worker.stop());

  const engineIn = (environment: 'live' | 'sandbox') => stkEngine(worker, environment);

  async function begun(environment: 'live' | 'sandbox'): Promise<PaymentRow> {
    const row = {
      ...paymentRow(randomUUID(), { account_reference: '0712345678', accepted_at: null }),
      request_id: 'canary-request-id',
    } as unknown as PaymentRow;
    await engineIn(environment).signalOrStart(row, 'merchant');
    return row;
  }

  it('is found by our payment id, and shows none of the merchant’s own ids', async () => {
    const row = await begun('live');
    const handle = client.workflow.getHandle(row.workflow_id);
    const described = await handle.describe();
    const shown = [...described.typedSearchAttributes.getAll()].map(({ key, value }) => [key.name, value]);
    expect(shown).toContainEqual(['MalipoReference', row.payment_id]);
    expect(JSON.stringify([shown, described.memo])).not.toMatch(/0712345678|canary/);
    await handle.terminate();
  });

  it('rejects an update that moves its clock in live, and accepts it in the sandbox', async () => {
    const live = await begun('live');
    const handle = client.workflow.getHandle(live.workflow_id);
    await expect(handle.executeUpdate(names.advance, { args: [1_000] })).rejects.toThrow(
      WorkflowUpdateFailedError,
    );
    await expect(engineIn('live').advance(live, 1_000)).rejects.toThrow('in live');
    await handle.terminate();

    const sandbox = await begun('sandbox');
    await engineIn('sandbox').advance(sandbox, 1_000);
    await client.workflow.getHandle(sandbox.workflow_id).terminate();
  });

  it('does not let a voucher expire early either', async () => {
    const voucher = {
      voucher_id: randomUUID(),
      workflow_id: `in-live-voucher:${randomUUID()}`,
      merchant_id: randomUUID(),
      state: 'active',
      currency: 'KES',
      amount_minor: '100',
      expires_at: new Date(Date.now() + 86_400_000),
      request_id: 'canary-request-id',
    } as unknown as VoucherRow;
    const vouchers = createVoucherEngine(client, {
      db: undefined as never,
      log: silentLog,
      taskQueue,
      environment: 'live',
    });
    await vouchers.signalOrStart(voucher);
    const handle = client.workflow.getHandle(voucher.workflow_id);
    await expect(handle.executeUpdate(names.advance, { args: [1_000] })).rejects.toThrow(
      WorkflowUpdateFailedError,
    );
    await expect(vouchers.advance(voucher, 1_000)).rejects.toThrow('in live');
    expect(JSON.stringify((await handle.describe()).memo ?? {})).not.toContain('canary');
    await handle.terminate();
  });
});
