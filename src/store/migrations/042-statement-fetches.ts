import type { Knex } from 'knex';
import { at, tableOptions, text, word } from './columns';

/** How the fetching of each rail's statements went last. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE statement_fetches (
      rail ${word(24)} PRIMARY KEY,
      tried_at ${at} NOT NULL,
      succeeded_at ${at} NULL,
      covers_to ${at} NULL,
      failures INT NOT NULL,
      failure ${text(350)} NULL
    ) ${await tableOptions(knex)}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS statement_fetches');
}
