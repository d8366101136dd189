import type { Statements } from './migration';
import { id } from './columns';

export const kind = 'expand';

/**
 * The payment beside which money of a statement came, where a person said so of one that no line names; and a customer's
 * payments, by the phone number, around a time.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`ALTER TABLE orphans ADD COLUMN beside_payment_id ${id} NULL`);
  await schema.raw(
    'ALTER TABLE payments ADD KEY by_phone (phone_number, created_at), ALGORITHM=INPLACE, LOCK=NONE',
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE payments DROP KEY by_phone');
  await schema.raw('ALTER TABLE orphans DROP COLUMN beside_payment_id');
}
