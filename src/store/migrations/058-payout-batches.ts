import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** Payouts that somebody has put together in the portal, until somebody decides on them. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE payout_batches (
      batch_id ${id} PRIMARY KEY,
      merchant_id ${id} NOT NULL,
      rail ${word(24)} NOT NULL,
      name ${text(200)} NOT NULL,
      row_count INT NOT NULL,
      payouts MEDIUMTEXT NULL,
      rows_hash BINARY(32) NOT NULL,
      state ${word(16)} NOT NULL,
      made_by ${id} NOT NULL,
      made_at ${at} NOT NULL,
      asked_at ${at} NULL,
      decided_by ${id} NULL,
      decided_at ${at} NULL,
      reason ${text(300)} NULL,
      bulk_id ${id} NULL,
      KEY of_merchant (merchant_id, made_at),
      KEY same_rows (merchant_id, rows_hash),
      KEY by_age (made_at),
      FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id),
      FOREIGN KEY (made_by) REFERENCES users (user_id),
      CHECK (state IN ('draft', 'waiting', 'sent', 'rejected'))) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE payout_batches');
}
