import type { Statements } from './migration';
import { tableOptions, word } from './columns';

export const kind = 'expand';

/** Which default limits were in force when a payout was accepted. What was accepted before does not say. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE outflow_defaults (
      defaults_id ${word(16)} NOT NULL,
      currency ${word(3)} NOT NULL,
      kind ${word(30)} NOT NULL,
      amount BIGINT NOT NULL,
      PRIMARY KEY (defaults_id, currency, kind)
    ) ${await tableOptions(schema)}`);
  await schema.raw(`ALTER TABLE outflows ADD COLUMN defaults_id ${word(16)} NULL`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE outflows DROP COLUMN defaults_id');
  await schema.raw('DROP TABLE IF EXISTS outflow_defaults');
}
