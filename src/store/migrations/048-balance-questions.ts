import type { Knex } from 'knex';
import { at, tableOptions, text, word } from './columns';

/** The question about a balance that was asked last of a provider that answers later, and what it told. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE balance_questions (
      provider ${word(24)} NOT NULL PRIMARY KEY,
      token ${word(32)} NOT NULL,
      asked_at ${at} NOT NULL,
      told_at ${at} NULL,
      taken_at ${at} NULL,
      balance_minor BIGINT NULL,
      note ${text(255)} NOT NULL DEFAULT '',
      UNIQUE KEY one_token (token)
    ) ${await tableOptions(knex)}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS balance_questions');
}
