/** Every way of a voucher that deserves a saved history. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { createVoucherEngine } from '../../../src/vouchers/voucher-engine';
import { silentLog } from '../../support/silent-log';
import { codeMailedTo, redeem } from '../../support/vouchers/vouchers';
import { day, tale, timersOf, voucher, voucherRow, type Tale } from './stage';

export const voucherTales: Record<string, Tale> = {
  'voucher-redeemed': tale(async (stage) => {
    const { stack, merchant, over } = stage;
    const id = await voucher(stage, 'redeems@example.org');
    await redeem(stack, merchant, await codeMailedTo(stack, 'redeems@example.org'));
    const { workflow_id: workflowId } = await voucherRow(stage, id);
    await over(workflowId);
    return workflowId;
  }),

  'voucher-expired': tale(async (stage) => {
    const { stack, engine, over } = stage;
    const id = await voucher(stage, 'forgets@example.org');
    await codeMailedTo(stack, 'forgets@example.org');
    const row = await voucherRow(stage, id);
    const taskQueue = stack.env['MALIPO_TASK_QUEUE'] ?? '';
    const vouchers = createVoucherEngine(engine.client, {
      db: stack.db,
      log: silentLog,
      taskQueue,
      environment: 'sandbox',
    });
    await vouchers.advance(row, 91 * day);
    await over(row.workflow_id);
    return row.workflow_id;
  }),

  'voucher-still-out': tale(async (stage) => {
    const id = await voucher(stage, 'keeps@example.org');
    await codeMailedTo(stage.stack, 'keeps@example.org');
    const { workflow_id: workflowId } = await voucherRow(stage, id);
    await waitFor(async () => (await timersOf(stage, workflowId)) > 0, {
      what: 'the voucher to wait for its last day',
      timeoutMs: 30_000,
    });
    return workflowId;
  }),
};
