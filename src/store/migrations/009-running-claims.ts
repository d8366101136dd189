import type { Knex } from 'knex';

/** A process finds the claims that are its own, all the time: there are few of them among very many keys. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE idempotency_keys ADD KEY by_process (process_id, state)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE idempotency_keys DROP KEY by_process');
}
