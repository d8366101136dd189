import type { Statements } from './migration';
import { at, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** The question about a balance that was asked last of a provider that answers later, and what it told. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE balance_questions (
      provider ${word(24)} NOT NULL PRIMARY KEY,
      token ${word(32)} NOT NULL,
      asked_at ${at} NOT NULL,
      told_at ${at} NULL,
      taken_at ${at} NULL,
      balance_minor BIGINT NULL,
      note ${text(255)} NOT NULL DEFAULT '',
      UNIQUE KEY one_token (token)
    ) ${await tableOptions(schema)}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS balance_questions');
}
