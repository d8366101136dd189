/** A ledger with past days: the process dates the bookings, and the database dates the digests. */
import { utcDay } from '../../../src/ledger/utc-days';
import type { Database } from '../../../src/store/database';
import { atTime } from '../../support/at-time';

const begun = Date.now();

/** A day such as `2026-01-31`, counted back from the start of this file, so midnight does not change it. */
export function daysAgo(days: number): string {
  return utcDay(new Date(begun - days * 86_400_000));
}

/** Works at a time of day some days ago. The default time is past at any hour of the day. */
export function onDay<T>(
  ago: number,
  work: () => Promise<T>,
  time = ago === 0 ? '00:00:00.000' : '12:00:00.000',
): Promise<T> {
  return atTime(new Date(`${daysAgo(ago)}T${time}Z`), work);
}

/** Works without the trigger that rejects it, and restores the trigger afterwards. */
export async function withoutTrigger(
  db: Database,
  table: 'ledger_entries' | 'ledger_postings' | 'day_digests' | 'payment_log' | 'audit_log' | 'audit_rows',
  action: 'update' | 'delete',
  work: () => Promise<unknown>,
): Promise<void> {
  const [[made]] = (await db.raw(`SHOW CREATE TRIGGER ${table}_no_${action}`)) as unknown as [
    [{ 'SQL Original Statement': string }],
  ];
  await db.raw(`DROP TRIGGER ${table}_no_${action}`);
  try {
    await work();
  } finally {
    await db.raw(made['SQL Original Statement']);
  }
}

/** Empties the ledger. The accounts stay, with zero balances. */
export async function emptyLedger(db: Database): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('SET FOREIGN_KEY_CHECKS = 0');
    for (const table of ['day_digests', 'ledger_postings', 'ledger_entries'])
      await trx.raw(`TRUNCATE ${table}`);
    await trx.raw('SET FOREIGN_KEY_CHECKS = 1');
    await trx('ledger_accounts').whereNotNull('balance').update({ balance: '0', can_go_negative: 0 });
  });
}
