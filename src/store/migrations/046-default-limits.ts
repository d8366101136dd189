import type { Knex } from 'knex';
import { tableOptions, word } from './columns';

/** Which default limits were in force when a payout was accepted. What was accepted before does not say. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE outflow_defaults (
      defaults_id ${word(16)} NOT NULL,
      currency ${word(3)} NOT NULL,
      kind ${word(30)} NOT NULL,
      amount BIGINT NOT NULL,
      PRIMARY KEY (defaults_id, currency, kind)
    ) ${await tableOptions(knex)}`);
  await knex.raw(`ALTER TABLE outflows ADD COLUMN defaults_id ${word(16)} NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE outflows DROP COLUMN defaults_id');
  await knex.raw('DROP TABLE IF EXISTS outflow_defaults');
}
