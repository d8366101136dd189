import type { Knex } from 'knex';
import { at, tableOptions } from './columns';

/** What the last look at the books found, so that an alarm need not repeat it; and what each run of the news reads by. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE verdicts (
      id TINYINT PRIMARY KEY,
      looked_at ${at} NULL,
      promises_broken INT NOT NULL DEFAULT 0
    ) ${await tableOptions(knex)}`);
  await knex.raw('INSERT INTO verdicts (id) VALUES (1)');
  // The payments of young keys are listed without reading the keys themselves, which lie all over their table.
  await knex.raw('ALTER TABLE idempotency_keys DROP KEY by_age, ADD KEY by_age (created_at, payment_id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE idempotency_keys DROP KEY by_age, ADD KEY by_age (created_at)');
  await knex.raw('DROP TABLE IF EXISTS verdicts');
}
