import type { Statements } from './migration';
import { at, text, word } from './columns';

export const kind = 'expand';

/**
 * A provider's statement that was brought by mistake is withdrawn, and the same file may be brought again; and by which rule
 * a line was read, and judged.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE provider_statements
      ADD COLUMN withdrawn_no INT NOT NULL DEFAULT 0,
      ADD COLUMN withdrawn_at ${at} NULL,
      ADD COLUMN withdrawn_by ${text(100)} NULL,
      ADD COLUMN approved_by ${text(100)} NULL,
      ADD COLUMN withdrawn_reason ${text(350)} NULL`);
  await schema.raw(`
    ALTER TABLE provider_statements DROP KEY one_file, ADD UNIQUE KEY one_file (provider, file_hash, withdrawn_no)`);
  await schema.raw(`ALTER TABLE statement_lines ADD COLUMN rule ${word(40)} NULL, ALGORITHM=INSTANT`);
  await schema.raw(`ALTER TABLE reconciliation_results ADD COLUMN rule ${word(60)} NULL, ALGORITHM=INSTANT`);
}

/** The same file may have been withdrawn and brought again: then there is no way back. */
export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE reconciliation_results DROP COLUMN rule');
  await schema.raw('ALTER TABLE statement_lines DROP COLUMN rule');
  await schema.raw(
    'ALTER TABLE provider_statements DROP KEY one_file, ADD UNIQUE KEY one_file (provider, file_hash)',
  );
  await schema.raw(`
    ALTER TABLE provider_statements
      DROP COLUMN withdrawn_no, DROP COLUMN withdrawn_at, DROP COLUMN withdrawn_by, DROP COLUMN approved_by,
      DROP COLUMN withdrawn_reason`);
}
