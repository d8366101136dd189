import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** What merchants are charged for their payments. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  // A schedule is ended and never changed: what a payment was accepted with can be computed again at any time.
  await schema.raw(`
    CREATE TABLE fee_schedules (
      fee_id ${id} PRIMARY KEY,
      merchant_id ${id} NULL,
      rail ${word(20)} NULL,
      operation ${word(20)} NOT NULL,
      currency ${word(3)} NOT NULL,
      fixed BIGINT NOT NULL,
      per_million INT NOT NULL,
      minimum BIGINT NULL,
      maximum BIGINT NULL,
      reason ${text(500)} NOT NULL,
      from_at ${at} NOT NULL,
      ended_at ${at} NULL,
      open_key ${word(100)} NULL,
      UNIQUE KEY one_in_force (open_key),
      KEY in_force (ended_at, merchant_id),
      CONSTRAINT fee_is_no_gift CHECK (fixed >= 0 AND per_million BETWEEN 0 AND 1000000
        AND COALESCE(minimum, 0) >= 0 AND (maximum IS NULL OR maximum >= COALESCE(minimum, 0))),
      CONSTRAINT fee_is_open_or_ended CHECK ((ended_at IS NULL) = (open_key IS NOT NULL))
    ) ${options}`);
  // NULL for payments of before, and of processes that know of no fees: they have none.
  await schema.raw(`ALTER TABLE payments ADD COLUMN fee_id ${id} NULL`);
  await schema.raw('ALTER TABLE payments ADD COLUMN fee_minor BIGINT NULL');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE payments DROP COLUMN fee_minor');
  await schema.raw('ALTER TABLE payments DROP COLUMN fee_id');
  await schema.raw('DROP TABLE fee_schedules');
}
