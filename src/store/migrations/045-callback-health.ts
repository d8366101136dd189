import type { Knex } from 'knex';
import { at, tableOptions, word } from './columns';

/**
 * Whether the callbacks of each provider come, as the log of the payments and the inbox tell. What ended before this
 * migration is not counted: it says nothing about now.
 */
export async function up(knex: Knex): Promise<void> {
  const options = await tableOptions(knex);
  await knex.raw(`
    CREATE TABLE callback_watch (
      id TINYINT PRIMARY KEY,
      log_id BIGINT NOT NULL,
      watched_at ${at} NOT NULL
    ) ${options}`);
  await knex.raw(`
    INSERT INTO callback_watch (id, log_id, watched_at)
    SELECT 1, COALESCE(MAX(log_id), 0), UTC_TIMESTAMP(3) FROM payment_log`);
  await knex.raw(`
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
  await knex.raw(`
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
  await knex.raw(`
    CREATE TABLE callback_refusals (
      slot_at ${at} NOT NULL,
      rail ${word(24)} NOT NULL,
      refused INT NOT NULL,
      PRIMARY KEY (slot_at, rail)
    ) ${options}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['callback_refusals', 'callback_counts', 'callback_health', 'callback_watch'])
    await knex.raw(`DROP TABLE IF EXISTS ${table}`);
}
