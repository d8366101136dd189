import { backlogAgeMs } from '../payments/recovery/backlog';
import { doChore, behindMs, standsStill } from '../payments/recovery/sweeper';
import { batchOf, claimLooks, releaseLooks } from '../payments/recovery/claim-looks';
import { openCase } from '../controls/cases';
import type { Database, Transaction } from '../store/database';
import type { VoucherRow } from '../store/tables';

/** Exported for the test that asks the database how it would find them. */
export function overdueVouchers(db: Database | Transaction, now: Date, limit: number) {
  // Left to itself the server may read a small table whole, and locks what it reads.
  const vouchers = db.from<VoucherRow, VoucherRow[]>(db.raw('vouchers FORCE INDEX (due_look)'));
  return vouchers.where('next_look_at', '<=', now).orderBy('next_look_at').limit(limit);
}

/**
 * Wakes vouchers whose look is overdue, each by one of all workers, and one that nobody takes ever more rarely.
 * @returns how many.
 * @throws what waking one threw, after what was not woken was given back.
 */
export async function sweepVouchers(
  db: Database,
  wake: (voucher: VoucherRow) => Promise<void>,
): Promise<number> {
  // Most rounds find none, and need not know how busy the workers are.
  if ((await overdueVouchers(db, new Date(), 1)).length === 0) return 0;
  const limit = batchOf({ isBehind: (await backlogAgeMs(db)) > behindMs });
  return doChore(db, {
    claim: () =>
      claimLooks(db, 'vouchers', (trx, now) => overdueVouchers(trx, now, limit).forUpdate().skipLocked()),
    async wake(voucher) {
      if (standsStill(voucher)) {
        const detail = `voucher ${voucher.voucher_id} was woken ${String(voucher.wakes)} times in vain`;
        await openCase(db, null, { reason: 'stands_still', detail });
      }
      await wake(voucher);
    },
    release: (_db, vouchers) => releaseLooks(db, 'vouchers', vouchers),
  });
}
