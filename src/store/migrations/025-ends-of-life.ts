import type { Knex } from 'knex';

/** Every list reads an index. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payments
      DROP KEY unfinished,
      ADD KEY by_standing (is_final, state, updated_at),
      ADD KEY by_age (created_at),
      ADD KEY by_state (state, created_at)`);
  await knex.raw('ALTER TABLE vouchers ADD KEY by_age (created_at)');
  // No statement asks for the holds of an account.
  await knex.raw('ALTER TABLE holds DROP KEY by_account');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE holds ADD KEY by_account (account_id, state)');
  await knex.raw('ALTER TABLE vouchers DROP KEY by_age');
  await knex.raw(`
    ALTER TABLE payments
      DROP KEY by_state, DROP KEY by_age, DROP KEY by_standing, ADD KEY unfinished (is_final, updated_at)`);
}
