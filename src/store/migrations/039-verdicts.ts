import type { Statements } from './migration';
import { at, tableOptions } from './columns';

export const kind = 'expand';

/** What the last look at the books found, so that an alarm need not repeat it; and what each run of the news reads by. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE verdicts (
      id TINYINT PRIMARY KEY,
      looked_at ${at} NULL,
      promises_broken INT NOT NULL DEFAULT 0
    ) ${await tableOptions(schema)}`);
  await schema.raw('INSERT INTO verdicts (id) VALUES (1)');
  // The payments of young keys are listed without reading the keys themselves, which lie all over their table.
  await schema.raw('ALTER TABLE idempotency_keys DROP KEY by_age, ADD KEY by_age (created_at, payment_id)');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE idempotency_keys DROP KEY by_age, ADD KEY by_age (created_at)');
  await schema.raw('DROP TABLE IF EXISTS verdicts');
}
