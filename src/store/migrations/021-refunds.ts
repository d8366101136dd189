import type { Knex } from 'knex';

/** What refunds of our own gave back of a deposit: as the customer got it, and as the wallet paid for it. */
const added = ['refunded_minor', 'refund_debited_minor'];

export async function up(knex: Knex): Promise<void> {
  for (const column of added) {
    await knex.raw(`ALTER TABLE payments ADD COLUMN ${column} BIGINT NOT NULL DEFAULT 0`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const column of added) await knex.raw(`ALTER TABLE payments DROP COLUMN ${column}`);
}
