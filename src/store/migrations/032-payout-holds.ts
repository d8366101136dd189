import type { Knex } from 'knex';
import { at, id, tableOptions, text, word } from './columns';

/** Payouts that wait by themselves: until an operator releases them, or for a while. */
export async function up(knex: Knex): Promise<void> {
  const options = await tableOptions(knex);
  await knex.raw(`
    CREATE TABLE payout_holds (
      payment_id ${id} NOT NULL,
      reason ${word(30)} NOT NULL,
      limit_id ${id} NULL,
      held_at ${at} NOT NULL,
      until_at ${at} NULL,
      released_by ${text(100)} NULL,
      released_at ${at} NULL,
      note ${text(400)} NULL,
      PRIMARY KEY (payment_id),
      KEY waiting (released_at, held_at),
      CONSTRAINT release_has_a_name CHECK ((released_at IS NULL) = (released_by IS NULL))
    ) ${options}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payout_holds');
}
