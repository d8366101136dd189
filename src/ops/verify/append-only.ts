import type { Database, Transaction } from '../../store/database';
import { rowsOf, type Violation } from './check';

const appendOnlyTables = ['ledger_entries', 'ledger_postings', 'payment_log'];
const refusedActions = ['UPDATE', 'DELETE'];

/** The append-only tables that somebody could change, because the trigger that refuses it is gone or altered. */
export async function missingTriggers(db: Database | Transaction): Promise<Violation[]> {
  const rows = await rowsOf<{ on_table: string; action: string }>(
    db,
    `SELECT EVENT_OBJECT_TABLE AS on_table, EVENT_MANIPULATION AS action
     FROM information_schema.TRIGGERS
     WHERE EVENT_OBJECT_SCHEMA = DATABASE() AND ACTION_TIMING = 'BEFORE' AND ACTION_STATEMENT LIKE '%SIGNAL%'`,
  );
  const present = new Set(rows.map((row) => `${row.on_table} ${row.action}`));
  return appendOnlyTables.flatMap((table) =>
    refusedActions
      .filter((action) => !present.has(`${table} ${action}`))
      .map((action) => ({ id: table, detail: `no trigger that this user can see refuses ${action}` })),
  );
}
