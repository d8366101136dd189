import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { Environment } from '../config';
import { names, type VoucherCommand } from '../domain/commands';
import type { Log } from '../domain/log';
import { formatAmount } from '../domain/money';
import { searchAttributes } from '../domain/search-attributes';
import type { Database } from '../store/database';
import type { VoucherRow } from '../store/tables';
import { sweepVouchers } from './sweep-vouchers';

const wakeTimeoutMs = 5_000;

/** The workflows of vouchers. */
export interface VoucherEngine {
  /** Starts the workflow, or makes the one that runs look. Never throws: what is lost here, the sweeper repeats. */
  wake(voucher: VoucherRow): Promise<void>;
  advance(voucher: VoucherRow, ms: number): Promise<void>;
  /** Wakes those whose look is overdue. @returns how many. */
  sweep(): Promise<number>;
}

export function createVoucherEngine(
  client: Client,
  {
    db,
    log,
    taskQueue,
    environment,
  }: { db: Database; log: Log; taskQueue: string; environment: Environment },
): VoucherEngine {
  async function wake(voucher: VoucherRow): Promise<void> {
    const { voucher_id: voucherId, currency, amount_minor: amount } = voucher;
    const command: VoucherCommand = {
      story: 'voucher',
      voucherId,
      expiresAtMs: voucher.expires_at.getTime(),
      ...(environment === 'live' && { fixedClock: true }),
    };
    await client.withDeadline(Date.now() + wakeTimeoutMs, () =>
      client.workflow.signalWithStart('voucher', {
        workflowId: voucher.workflow_id,
        taskQueue,
        args: [command],
        staticSummary: `voucher ${currency} ${formatAmount(BigInt(amount), currency)}`,
        typedSearchAttributes: new TypedSearchAttributes([
          { key: searchAttributes.merchant, value: voucher.merchant_id },
          { key: searchAttributes.rail, value: 'voucher' },
          { key: searchAttributes.status, value: voucher.state },
          { key: searchAttributes.reference, value: voucherId },
        ]),
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        signal: names.outcomeReported,
        signalArgs: [],
      }),
    );
  }

  return {
    async wake(voucher) {
      try {
        await wake(voucher);
      } catch (error) {
        log.warn('a voucher could not be woken; the sweeper will', { voucher_id: voucher.voucher_id, error });
      }
    },

    async advance(voucher, ms) {
      if (environment === 'live') throw new Error('time moves by itself in live');
      await client.workflow.getHandle(voucher.workflow_id).executeUpdate(names.advance, { args: [ms] });
    },

    sweep: () => sweepVouchers(db, wake),
  };
}
