import type { Knex } from 'knex';

/** What is about no payment of ours is one case for all that is alike: how often it was seen stands with it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE cases ADD COLUMN times INT NOT NULL DEFAULT 1');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE cases DROP COLUMN times');
}
