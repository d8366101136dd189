import type { Knex } from 'knex';

/** What was missing from a wallet while its payouts were stopped: they are stopped again where more is missing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE float_wallets ADD COLUMN stopped_for_minor BIGINT NULL');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE float_wallets DROP COLUMN stopped_for_minor');
}
