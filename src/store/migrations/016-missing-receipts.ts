import type { Knex } from 'knex';
import { at, id, tableOptions, word } from './columns';

/** Payments that succeeded without a receipt, while their provider is still asked for it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE missing_receipts (
      payment_id ${id} NOT NULL PRIMARY KEY,
      token ${word(32)} NOT NULL,
      tries INT NOT NULL DEFAULT 0,
      next_at ${at} NOT NULL,
      UNIQUE KEY one_token (token),
      KEY due (next_at),
      FOREIGN KEY (payment_id) REFERENCES payments (payment_id)
    ) ${await tableOptions(knex)}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE missing_receipts');
}
