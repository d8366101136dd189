import type { Statements } from './migration';
import { id } from './columns';

export const kind = 'expand';

/** Which action of an operator has made an entry of the ledger: its line of the audit log names the same id. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`ALTER TABLE ledger_entries ADD COLUMN action_id ${id} NULL, ALGORITHM=INSTANT`);
  await schema.raw('ALTER TABLE ledger_entries ADD KEY by_action (action_id), ALGORITHM=INPLACE, LOCK=NONE');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE ledger_entries DROP KEY by_action, DROP COLUMN action_id');
}
