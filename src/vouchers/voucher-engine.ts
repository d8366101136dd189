import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { Environment } from '../config';
import { openCase } from '../controls/cases';
import { names, type SignalSource, type VoucherCommand } from '../domain/commands';
import type { Log } from '../domain/log';
import { formatAmount } from '../domain/money';
import { searchAttributes } from '../domain/search-attributes';
import { backlogAgeMs } from '../payments/recovery/backlog';
import { batchOf, claimChecks, releaseChecks } from '../payments/recovery/claim-checks';
import { runJob, behindMs, isStuck } from '../payments/recovery/sweeper';
import type { Database, Transaction } from '../store/database';
import type { VoucherRow } from '../store/tables';

const signalTimeoutMs = 5_000;

/** The workflows of vouchers. */
export interface VoucherEngine {
  /** Starts the workflow, or signals the running one to check. Never throws: the sweeper repeats lost calls. */
  signalOrStart(voucher: VoucherRow): Promise<void>;
  advance(voucher: VoucherRow, ms: number): Promise<void>;
  /** Signals the vouchers whose check is overdue. @returns how many. */
  sweep(): Promise<number>;
}

export interface VoucherEngineSettings {
  db: Database;
  log: Log;
  taskQueue: string;
  environment: Environment;
  /** As of a payment's engine. */
  merchantName?: (merchantId: string) => Promise<string | undefined>;
}

export function createVoucherEngine(
  client: Client,
  { db, log, taskQueue, environment, merchantName }: VoucherEngineSettings,
): VoucherEngine {
  async function signalOrStart(voucher: VoucherRow, source: SignalSource): Promise<void> {
    const { voucher_id: reference, merchant_id: merchantId, currency, amount_minor: minor } = voucher;
    const amount = `${currency} ${formatAmount(BigInt(minor), currency)}`;
    const merchant = (await merchantName?.(merchantId)) ?? merchantId;
    const command: VoucherCommand = {
      ...{ rail: 'voucher', kind: 'voucher', amount, merchant, reference },
      flow: 'voucher',
      expiresAtMs: voucher.expires_at.getTime(),
      ...(environment === 'live' && { fixedClock: true }),
    };
    await client.withDeadline(Date.now() + signalTimeoutMs, () =>
      client.workflow.signalWithStart('voucher', {
        workflowId: voucher.workflow_id,
        taskQueue,
        args: [command],
        staticSummary: `voucher, ${amount}, ${merchant}`,
        staticDetails: [
          `**Voucher of ${amount}**`,
          '',
          `- Merchant: ${merchant} (\`${merchantId}\`)`,
          `- Reference: \`${reference}\``,
          `- Expires: ${voucher.expires_at.toISOString()}`,
        ].join('\n'),
        typedSearchAttributes: new TypedSearchAttributes([
          { key: searchAttributes.merchant, value: merchantId },
          { key: searchAttributes.rail, value: 'voucher' },
          { key: searchAttributes.kind, value: 'voucher' },
          { key: searchAttributes.status, value: voucher.state },
          { key: searchAttributes.reference, value: reference },
        ]),
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        signal: source,
        signalArgs: [],
      }),
    );
  }

  return {
    async signalOrStart(voucher) {
      try {
        await signalOrStart(voucher, 'merchant');
      } catch (error) {
        log.warn('a voucher could not be woken; the sweeper will retry', {
          voucher_id: voucher.voucher_id,
          error,
        });
      }
    },

    async advance(voucher, ms) {
      if (environment === 'live') throw new Error('the time cannot be moved in live');
      await client.workflow.getHandle(voucher.workflow_id).executeUpdate(names.advance, { args: [ms] });
    },

    sweep: () => sweepVouchers(db, (voucher) => signalOrStart(voucher, 'recovery')),
  };
}

/** Exported for a test of the query plan. */
export function overdueVouchers(db: Database | Transaction, now: Date, limit: number) {
  // Without the index the server may scan a small table, and locks every row that it reads.
  const vouchers = db.from<VoucherRow, VoucherRow[]>(db.raw('vouchers FORCE INDEX (due_check)'));
  return vouchers.where('next_check_at', '<=', now).orderBy('next_check_at').limit(limit);
}

/**
 * Signals vouchers whose check is overdue. One worker takes each; a voucher that does not react is signalled more and more
 * rarely.
 * @returns how many.
 * @throws the error of a failed signal, after the vouchers that were not signalled are released.
 */
async function sweepVouchers(
  db: Database,
  signalOrStart: (voucher: VoucherRow) => Promise<void>,
): Promise<number> {
  // Most rounds find none, and then skip the query for the workers' load.
  if ((await overdueVouchers(db, new Date(), 1)).length === 0) return 0;
  const limit = batchOf({ isBehind: (await backlogAgeMs(db)) > behindMs });
  return runJob(db, {
    claim: () =>
      claimChecks(db, 'vouchers', (trx, now) => overdueVouchers(trx, now, limit).forUpdate().skipLocked()),
    async signalOrStart(voucher) {
      if (isStuck(voucher)) {
        const detail = `voucher ${voucher.voucher_id} was woken ${String(voucher.signals)} times without effect`;
        await openCase(db, null, { reason: 'stands_still', detail });
      }
      await signalOrStart(voucher);
    },
    release: (_db, vouchers) => releaseChecks(db, 'vouchers', vouchers),
  });
}
