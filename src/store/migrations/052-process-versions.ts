import { word } from './columns';
import type { Statements } from './migration';

export const kind = 'expand';

/** What each process that runs is, and the newest migration it knows. NULL for one of before, which does not say. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    `ALTER TABLE processes ADD COLUMN kind ${word(16)} NULL, ADD COLUMN knows ${word(64)} NULL, ALGORITHM=INSTANT`,
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE processes DROP COLUMN kind, DROP COLUMN knows');
}
