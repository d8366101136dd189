import type { Database, Transaction } from '../store/database';
import { rowsOf, type Violation } from './check';

const appendOnlyTables = [
  'ledger_entries',
  'ledger_postings',
  'ledger_links',
  'payment_log',
  'audit_log',
  'audit_rows',
];
const refusedActions = ['UPDATE', 'DELETE'];

/** The append-only tables that somebody could change, because the trigger that refuses it is gone or altered. */
export async function missingTriggers(db: Database | Transaction): Promise<Violation[]> {
  // Who may not drop a trigger cannot see it either, so a procedure of the schema's owner looks.
  const [rows] = await rowsOf<{ on_table: string; action: string }[]>(db, 'CALL append_only_triggers()');
  const present = new Set(rows?.map((row) => `${row.on_table} ${row.action}`));
  return appendOnlyTables.flatMap((table) =>
    refusedActions
      .filter((action) => !present.has(`${table} ${action}`))
      .map((action) => ({ id: table, detail: `no trigger refuses ${action}` })),
  );
}
