import type { Statements } from './migration';
import { at, tableOptions, word } from './columns';

export const kind = 'expand';

/**
 * Whether the callbacks of each provider come, as the log of the payments and the inbox tell. What ended before this
 * migration is not counted: it says nothing about now.
 */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE callback_watch (
      id TINYINT PRIMARY KEY,
      log_id BIGINT NOT NULL,
      watched_at ${at} NOT NULL
    ) ${options}`);
  await schema.raw(`
    INSERT INTO callback_watch (id, log_id, watched_at)
    SELECT 1, COALESCE(MAX(log_id), 0), UTC_TIMESTAMP(3) FROM payment_log`);
  await schema.raw(`
    CREATE TABLE callback_health (
      rail ${word(24)} NOT NULL,
      account ${word(24)} NOT NULL,
      kind ${word(16)} NOT NULL,
      verdict ${word(16)} NOT NULL,
      since ${at} NOT NULL,
      missed_in_a_row INT NOT NULL,
      come_in_a_row INT NOT NULL,
      expected BIGINT NOT NULL,
      come BIGINT NOT NULL,
      expected_at ${at} NULL,
      come_at ${at} NULL,
      PRIMARY KEY (rail, account, kind),
      CHECK (verdict IN ('unknown', 'healthy', 'late', 'stopped'))
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE callback_counts (
      slot_at ${at} NOT NULL,
      rail ${word(24)} NOT NULL,
      account ${word(24)} NOT NULL,
      kind ${word(16)} NOT NULL,
      expected INT NOT NULL,
      come INT NOT NULL,
      told_first INT NOT NULL,
      lags ${word(200)} NOT NULL,
      PRIMARY KEY (slot_at, rail, account, kind)
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE callback_refusals (
      slot_at ${at} NOT NULL,
      rail ${word(24)} NOT NULL,
      refused INT NOT NULL,
      PRIMARY KEY (slot_at, rail)
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  for (const table of ['callback_refusals', 'callback_counts', 'callback_health', 'callback_watch'])
    await schema.raw(`DROP TABLE IF EXISTS ${table}`);
}
