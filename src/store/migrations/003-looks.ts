import type { Statements } from './migration';
import { at, tableOptions } from './columns';

export const kind = 'expand';

/**
 * When each payment is looked at next is a column, so that whatever waits costs nothing until it is due, and nothing is
 * forgotten with Temporal's store. A row written by code that does not know the column is looked at at once.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE payments
      ADD COLUMN next_look_at ${at} NULL DEFAULT CURRENT_TIMESTAMP(3),
      ADD COLUMN woken_at ${at} NULL,
      ADD COLUMN wakes INT NOT NULL DEFAULT 0,
      ADD COLUMN clock_ahead_ms BIGINT NOT NULL DEFAULT 0,
      ADD KEY due_look (next_look_at)`);
  // What is open, or ended and still watched, is looked at soon and plans its next look itself; the rest is over.
  await schema.raw(`
    UPDATE payments SET next_look_at = NULL
    WHERE is_final = 1 AND NOT (
      finished_at > UTC_TIMESTAMP(3) - INTERVAL 40 DAY
      AND (state = 'timed_out' OR (kind = 'deposit' AND rail IN ('cardproc', 'walletpay'))))`);
  await schema.raw(`CREATE TABLE sandbox_clock (id TINYINT PRIMARY KEY, ahead_ms BIGINT NOT NULL)
    ${await tableOptions(schema)}`);
  await schema.raw('INSERT INTO sandbox_clock (id, ahead_ms) VALUES (1, 0)');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS sandbox_clock');
  await schema.raw(`
    ALTER TABLE payments
      DROP KEY due_look,
      DROP COLUMN next_look_at,
      DROP COLUMN woken_at,
      DROP COLUMN wakes,
      DROP COLUMN clock_ahead_ms`);
}
