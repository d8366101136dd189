import type { Statements } from './migration';
import { at, id, tableOptions, word } from './columns';

export const kind = 'expand';

/** Payments that succeeded without a receipt, while their provider is still asked for it. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE missing_receipts (
      payment_id ${id} NOT NULL PRIMARY KEY,
      token ${word(32)} NOT NULL,
      tries INT NOT NULL DEFAULT 0,
      next_at ${at} NOT NULL,
      UNIQUE KEY one_token (token),
      KEY due (next_at),
      FOREIGN KEY (payment_id) REFERENCES payments (payment_id)
    ) ${await tableOptions(schema)}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE missing_receipts');
}
