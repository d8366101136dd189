import type { Statements } from './migration';
import { at, id, tableOptions } from './columns';

export const kind = 'expand';

/** What makes an acceptance exactly one: who holds a key, and by which key or guard a payment was taken. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(
    `CREATE TABLE processes (process_id ${id} PRIMARY KEY, seen_at ${at} NOT NULL) ${options}`,
  );
  await schema.raw(`
    ALTER TABLE idempotency_keys
      ADD COLUMN claim_id ${id} NULL,
      ADD COLUMN process_id ${id} NULL`);
  await schema.raw(`
    ALTER TABLE payments
      ADD COLUMN answered_at ${at} NULL,
      ADD COLUMN key_hash BINARY(32) NULL,
      ADD COLUMN guard_hash BINARY(32) NULL,
      ADD COLUMN guarded_from ${at} NULL,
      ADD COLUMN guarded_until ${at} NULL,
      ADD KEY by_key (key_hash, merchant_id),
      ADD KEY by_guard (guard_hash, guarded_from)`);
  await schema.raw(`
    ALTER TABLE vouchers
      ADD COLUMN key_hash BINARY(32) NULL,
      ADD COLUMN ended_by ${id} NULL,
      ADD KEY by_key (key_hash, merchant_id)`);
  await schema.raw('ALTER TABLE merchants ADD COLUMN duplicate_window_s INT NOT NULL DEFAULT 120');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE merchants DROP COLUMN duplicate_window_s');
  await schema.raw('ALTER TABLE vouchers DROP KEY by_key, DROP COLUMN key_hash, DROP COLUMN ended_by');
  await schema.raw(`
    ALTER TABLE payments
      DROP KEY by_key, DROP KEY by_guard,
      DROP COLUMN answered_at, DROP COLUMN key_hash,
      DROP COLUMN guard_hash, DROP COLUMN guarded_from, DROP COLUMN guarded_until`);
  await schema.raw('ALTER TABLE idempotency_keys DROP COLUMN claim_id, DROP COLUMN process_id');
  await schema.raw('DROP TABLE processes');
}
