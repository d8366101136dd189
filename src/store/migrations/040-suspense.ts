import type { Statements } from './migration';
import { tableOptions, text, word } from './columns';

export const kind = 'expand';

/** Money of a statement that nobody owns is booked, and so is what a provider kept of it. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE orphans
      ADD COLUMN bookings INT NULL,
      ADD COLUMN returned_reference ${text(120)} NULL,
      ADD COLUMN returned_line_id BIGINT NULL,
      ADD UNIQUE KEY one_return (provider, returned_reference)`);
  // What our books had by a later look was nobody's claim.
  await schema.raw(
    "UPDATE orphans SET state = 'explained' WHERE state = 'claimed' AND claimed_by = 'malipo' AND entry_id IS NULL",
  );
  await schema.raw('ALTER TABLE reconciliation_results ADD COLUMN fee_booked_minor BIGINT NULL');
  await schema.raw(`
    CREATE TABLE reconciliation_turns (
      provider ${word(24)} PRIMARY KEY
    ) ${await tableOptions(schema)}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS reconciliation_turns');
  await schema.raw('ALTER TABLE reconciliation_results DROP COLUMN fee_booked_minor');
  await schema.raw("UPDATE orphans SET state = 'claimed' WHERE state = 'explained'");
  await schema.raw(`
    ALTER TABLE orphans
      DROP KEY one_return, DROP COLUMN bookings, DROP COLUMN returned_reference, DROP COLUMN returned_line_id`);
}
