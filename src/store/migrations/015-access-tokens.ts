import type { Knex } from 'knex';
import { at, tableOptions, text, word } from './columns';

/** One token per credential for all processes: some providers end the one before with each that they give. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE access_tokens (
      credential ${word(64)} NOT NULL PRIMARY KEY,
      rail ${word(16)} NOT NULL,
      version INT NOT NULL DEFAULT 0,
      sealed ${text(8192)} NULL,
      refresh_at ${at} NOT NULL,
      expires_at ${at} NOT NULL,
      leased_by ${word(36)} NULL,
      leased_until ${at} NULL
    ) ${await tableOptions(knex)}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE access_tokens');
}
