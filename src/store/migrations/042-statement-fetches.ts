import type { Statements } from './migration';
import { at, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** How the fetching of each rail's statements went last. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE statement_fetches (
      rail ${word(24)} PRIMARY KEY,
      tried_at ${at} NOT NULL,
      succeeded_at ${at} NULL,
      covers_to ${at} NULL,
      failures INT NOT NULL,
      failure ${text(350)} NULL
    ) ${await tableOptions(schema)}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS statement_fetches');
}
