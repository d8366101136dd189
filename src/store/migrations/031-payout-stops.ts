import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/**
 * What operators have stopped, and have started again: a row is ended, and never begun anew. The one row of
 * `payout_gate` is shared by whoever writes an attempt and taken by whoever stops or starts, so that each attempt is
 * either before a stop or after it; the numbers of the payments' log tell which, whatever the hosts' clocks say.
 */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE payout_gate (
      id TINYINT NOT NULL,
      PRIMARY KEY (id)
    ) ${options}`);
  await schema.raw('INSERT INTO payout_gate (id) VALUES (1)');
  await schema.raw(`
    CREATE TABLE payout_stops (
      stop_id BIGINT NOT NULL AUTO_INCREMENT,
      merchant_id ${id} NULL,
      rail ${word(32)} NULL,
      country ${word(3)} NULL,
      with_refunds TINYINT NOT NULL,
      reason ${text(400)} NOT NULL,
      begun_by ${text(100)} NOT NULL,
      begun_at ${at} NOT NULL,
      begun_log_id BIGINT NOT NULL,
      ended_by ${text(100)} NULL,
      ended_at ${at} NULL,
      ended_log_id BIGINT NULL,
      PRIMARY KEY (stop_id),
      KEY in_force (ended_at)
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE payout_stops');
  await schema.raw('DROP TABLE payout_gate');
}
