import type { Statements } from './migration';
import { at, id, tableOptions, word } from './columns';

export const kind = 'expand';

/** What was paid under which reference of its merchant's: who pays the same twice is found by it. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE paid_references (
      reference_key BINARY(32) NOT NULL,
      n INT NOT NULL,
      payment_id ${id} NOT NULL,
      duplicate_of ${id} NULL,
      paid_at ${at} NOT NULL,
      times INT NOT NULL DEFAULT 1,
      is_account TINYINT NOT NULL DEFAULT 0,
      PRIMARY KEY (reference_key, n),
      UNIQUE KEY one_payment (payment_id),
      KEY by_first (duplicate_of),
      KEY by_age (paid_at)
    ) ${await tableOptions(schema)}`);
  await schema.raw(`ALTER TABLE merchants ADD COLUMN paid_twice ${word(3)} NOT NULL DEFAULT 'on'`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE merchants DROP COLUMN paid_twice');
  await schema.raw('DROP TABLE IF EXISTS paid_references');
}
