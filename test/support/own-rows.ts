import { acceptRows } from '../../src/users/audit-log';
import type { ControlTableName } from '../../src/users/control-rows';
import type { Database } from '../../src/store/database';
import { inTransaction } from '../../src/store/transaction';

/** Writes a test's own changes of control rows into the audit log, as if Malipo had made them. */
export function asOurs(db: Database, table: ControlTableName, ...ids: string[]): Promise<void> {
  return inTransaction(db, (trx) =>
    acceptRows(
      trx,
      ids.map((id) => ({ table, id })),
    ),
  );
}
