import type { Knex } from 'knex';

/** What an account held at some posting is summed up from its index alone. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE ledger_postings DROP KEY by_account, ADD KEY by_account (account_id, seq, amount)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE ledger_postings DROP KEY by_account, ADD KEY by_account (account_id, seq)');
}
