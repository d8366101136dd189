import type { Statements } from './migration';
import { at, id, tableOptions, word } from './columns';

export const kind = 'expand';

/**
 * What changed of each payment, as its merchant is told, and how far each merchant's are in order. A row has no position
 * until it is read: which of two transactions ends first is not known while they write.
 */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE events (
      event_seq BIGINT AUTO_INCREMENT PRIMARY KEY,
      event_id ${id} NOT NULL,
      merchant_id ${id} NOT NULL,
      position BIGINT NULL,
      payment_id ${id} NOT NULL,
      rail ${word(24)} NOT NULL,
      type ${word(40)} NOT NULL,
      callback_type ${word(32)} NOT NULL,
      body TEXT NOT NULL,
      created_at ${at} NOT NULL,
      UNIQUE KEY one_position (merchant_id, position),
      KEY by_payment (payment_id),
      KEY by_age (created_at)
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE event_heads (
      merchant_id ${id} PRIMARY KEY,
      last_position BIGINT NOT NULL DEFAULT 0,
      forgotten_position BIGINT NOT NULL DEFAULT 0
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS event_heads');
  await schema.raw('DROP TABLE IF EXISTS events');
}
