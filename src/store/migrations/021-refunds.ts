import type { Statements } from './migration';

export const kind = 'expand';

/** What refunds of our own gave back of a deposit: as the customer got it, and as the wallet paid for it. */
const added = ['refunded_minor', 'refund_debited_minor'];

export async function up(schema: Statements): Promise<void> {
  for (const column of added) {
    await schema.raw(`ALTER TABLE payments ADD COLUMN ${column} BIGINT NOT NULL DEFAULT 0`);
  }
}

export async function down(schema: Statements): Promise<void> {
  for (const column of added) await schema.raw(`ALTER TABLE payments DROP COLUMN ${column}`);
}
