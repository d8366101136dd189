/** Moves the time of new rows into the past. */
import type { Database } from '../../../src/store/database';

/** Moves all rows two hours back, so that a run need not check them again once they are verified. */
export async function age(db: Database): Promise<void> {
  const old = (column: string) => `${column} = ${column} - INTERVAL 2 HOUR`;
  for (const table of ['payments', 'attempts', 'holds', 'outbox', 'cases', 'vouchers'])
    await db.raw(`UPDATE ${table} SET ${old('changed_at')}`);
  await db.raw(`UPDATE idempotency_keys SET ${old('created_at')}`);
  await db.raw(`UPDATE inbox SET ${old('received_at')}`);
  for (const table of ['ledger_entries', 'payment_log'])
    await behindTheTrigger(db, table, () => db.raw(`UPDATE ${table} SET ${old('at')}`));
}

/** Works as a user with all privileges could, and restores the trigger afterwards. */
export async function behindTheTrigger(
  db: Database,
  table: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await db.raw(`DROP TRIGGER ${table}_no_update`);
  await work();
  await db.raw(
    `CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table} FOR EACH ROW
     SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '${table} is append-only'`,
  );
}
