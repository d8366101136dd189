import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** Payouts that wait by themselves: until an operator releases them, or for a while. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
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

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE payout_holds');
}
