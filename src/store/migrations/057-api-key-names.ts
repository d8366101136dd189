import type { Statements } from './migration';
import { at, text } from './columns';

export const kind = 'expand';

/** What people call an API key, and when it was last used, to a few minutes: so that a key that is left over is found. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    `ALTER TABLE api_keys ADD COLUMN name ${text(60)} NULL, ADD COLUMN last_used_at ${at} NULL, ALGORITHM=INSTANT`,
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE api_keys DROP COLUMN name, DROP COLUMN last_used_at');
}
