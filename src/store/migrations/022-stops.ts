import type { Knex } from 'knex';
import { word } from './columns';

/** The provider account that nothing is started through while a case is open. What is open already stops its own. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `ALTER TABLE cases ADD COLUMN stops ${word(32)} NULL, ADD KEY open_stops (closed_at, stops)`,
  );
  await knex.raw(
    `UPDATE cases JOIN payments ON payments.payment_id = cases.payment_id
     SET cases.stops = IF(payments.provider = 'pawapay', 'momo', payments.rail)
     WHERE cases.reason = 'provider_disowns' AND cases.closed_at IS NULL`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE cases DROP KEY open_stops, DROP COLUMN stops');
}
