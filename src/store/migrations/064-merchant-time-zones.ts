import type { Statements } from './migration';
import { word } from './columns';

export const kind = 'expand';

/** Whose clock a merchant's people read; the deployment's where none is set. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`ALTER TABLE merchants ADD COLUMN time_zone ${word(64)} NULL, ALGORITHM=INSTANT`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE merchants DROP COLUMN time_zone');
}
