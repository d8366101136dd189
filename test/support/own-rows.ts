import { acceptRows } from '../../src/users/audit-log';
import type { ControlTableName } from '../../src/users/control-rows';
import type { Database } from '../../src/store/database';
import { inTransaction } from '../../src/store/transaction';

/** Writes rows of a control that a test has made or changed by hand into the audit log, as if Malipo had. */
export function asOurs(db: Database, table: ControlTableName, ...ids: string[]): Promise<void> {
  return inTransaction(db, (trx) =>
    acceptRows(
      trx,
      ids.map((id) => ({ table, id })),
    ),
  );
}
