import type { Statements } from './migration';
import { word } from './columns';

export const kind = 'expand';

/** What merchants are told about amounts: rounding of conversions, shillings without cents, and when it was sent. */
const added: [table: string, column: string, type: string][] = [
  ['merchants', 'stk_cents', `${word(8)} NOT NULL DEFAULT 'floor'`],
  // NULL in rows that are older than the column.
  ['fx_quotes', 'rounding_minor', 'BIGINT NULL'],
  ['outbox', 'sent_at_field', `${word(32)} NULL`],
  ['payments', 'asked_at', 'DATETIME(3) NULL'],
];

export async function up(schema: Statements): Promise<void> {
  for (const [table, column, type] of added) {
    await schema.raw(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }
}

export async function down(schema: Statements): Promise<void> {
  for (const [table, column] of added) await schema.raw(`ALTER TABLE ${table} DROP COLUMN ${column}`);
}
