import type { Statements } from './migration';
import { tableOptions, text, word } from './columns';

export const kind = 'expand';

/** Under which key each line of the audit log was written, and the rows that it has changed, as they were after it. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`ALTER TABLE audit_log ADD COLUMN key_id ${word(64)} NULL, ALGORITHM=INSTANT`);
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE audit_rows (
      seq BIGINT NOT NULL,
      table_name ${word(32)} NOT NULL,
      row_id ${text(160)} NOT NULL,
      columns_hashed TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      digest BINARY(32) NULL,
      PRIMARY KEY (seq, table_name, row_id),
      KEY newest (table_name, row_id, seq)
    ) ${options}`);
  for (const action of ['UPDATE', 'DELETE']) {
    await schema.raw(
      `CREATE TRIGGER audit_rows_no_${action.toLowerCase()} BEFORE ${action} ON audit_rows FOR EACH ROW
       SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'audit_rows is append-only'`,
    );
  }
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS audit_rows');
  await schema.raw('ALTER TABLE audit_log DROP COLUMN key_id');
}
