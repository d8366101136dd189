import type { Statements } from './migration';
import { word } from './columns';

export const kind = 'expand';

/** The provider account that nothing is started through while a case is open. What is open already stops its own. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    `ALTER TABLE cases ADD COLUMN stops ${word(32)} NULL, ADD KEY open_stops (closed_at, stops)`,
  );
  await schema.raw(
    `UPDATE cases JOIN payments ON payments.payment_id = cases.payment_id
     SET cases.stops = IF(payments.provider = 'pawapay', 'momo', payments.rail)
     WHERE cases.reason = 'provider_disowns' AND cases.closed_at IS NULL`,
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE cases DROP KEY open_stops, DROP COLUMN stops');
}
