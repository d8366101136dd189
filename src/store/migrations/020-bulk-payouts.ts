import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** Many payouts asked for at once: each row is a payment of its own, and the request stands for all of them for ever. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE bulk_payouts (
      bulk_id ${id} PRIMARY KEY,
      merchant_id ${id} NOT NULL,
      rail ${word(24)} NOT NULL,
      order_id ${text(500)} NOT NULL,
      order_hash BINARY(32) NOT NULL,
      body_hash BINARY(32) NOT NULL,
      row_count INT NOT NULL,
      request_id ${text(80)} NULL,
      created_at ${at} NOT NULL,
      UNIQUE KEY one_order (merchant_id, rail, order_hash),
      FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id),
      CHECK (row_count > 0)) ${options}`);
  await schema.raw(`
    CREATE TABLE bulk_rows (
      bulk_id ${id} NOT NULL,
      n INT NOT NULL,
      payment_id ${id} NOT NULL,
      PRIMARY KEY (bulk_id, n),
      UNIQUE KEY one_payment (payment_id),
      FOREIGN KEY (bulk_id) REFERENCES bulk_payouts (bulk_id)) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE bulk_rows');
  await schema.raw('DROP TABLE bulk_payouts');
}
