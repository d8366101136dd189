import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { Environment } from '../config';
import { openCase } from '../controls/cases';
import { names, type VoucherCommand } from '../domain/commands';
import type { Log } from '../domain/log';
import { formatAmount } from '../domain/money';
import { searchAttributes } from '../domain/search-attributes';
import { backlogAgeMs } from '../payments/recovery/backlog';
import { batchOf, claimChecks, releaseChecks } from '../payments/recovery/claim-checks';
import { runJob, behindMs, standsStill } from '../payments/recovery/sweeper';
import type { Database, Transaction } from '../store/database';
import type { VoucherRow } from '../store/tables';

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
      flow: 'voucher',
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

/** Exported for the test that asks the database how it would find them. */
export function overdueVouchers(db: Database | Transaction, now: Date, limit: number) {
  // Left to itself the server may read a small table whole, and locks what it reads.
  const vouchers = db.from<VoucherRow, VoucherRow[]>(db.raw('vouchers FORCE INDEX (due_check)'));
  return vouchers.where('next_check_at', '<=', now).orderBy('next_check_at').limit(limit);
}

/**
 * Wakes vouchers whose look is overdue, each by one of all workers, and one that nobody takes ever more rarely.
 * @returns how many.
 * @throws what waking one threw, after what was not woken was given back.
 */
async function sweepVouchers(db: Database, wake: (voucher: VoucherRow) => Promise<void>): Promise<number> {
  // Most rounds find none, and need not know how busy the workers are.
  if ((await overdueVouchers(db, new Date(), 1)).length === 0) return 0;
  const limit = batchOf({ isBehind: (await backlogAgeMs(db)) > behindMs });
  return runJob(db, {
    claim: () =>
      claimChecks(db, 'vouchers', (trx, now) => overdueVouchers(trx, now, limit).forUpdate().skipLocked()),
    async wake(voucher) {
      if (standsStill(voucher)) {
        const detail = `voucher ${voucher.voucher_id} was woken ${String(voucher.wakes)} times in vain`;
        await openCase(db, null, { reason: 'stands_still', detail });
      }
      await wake(voucher);
    },
    release: (_db, vouchers) => releaseChecks(db, 'vouchers', vouchers),
  });
}
