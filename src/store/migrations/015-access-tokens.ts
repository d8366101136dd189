import type { Statements } from './migration';
import { at, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** One token per credential for all processes: some providers end the one before with each that they give. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE access_tokens (
      credential ${word(64)} NOT NULL PRIMARY KEY,
      rail ${word(16)} NOT NULL,
      version INT NOT NULL DEFAULT 0,
      sealed ${text(8192)} NULL,
      refresh_at ${at} NOT NULL,
      expires_at ${at} NOT NULL,
      leased_by ${word(36)} NULL,
      leased_until ${at} NULL
    ) ${await tableOptions(schema)}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE access_tokens');
}
