import type { Statements } from './migration';
import { at } from './columns';

export const kind = 'expand';

/**
 * How often what a person proves themselves by has changed: a sign-in, a session and a link count for the version that they
 * began with alone. And how often somebody was refused in a person's name.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    `ALTER TABLE users ADD COLUMN credentials_version INT NOT NULL DEFAULT 1,
       ADD COLUMN refused_tries INT NOT NULL DEFAULT 0, ADD COLUMN refused_at ${at} NULL, ALGORITHM=INSTANT`,
  );
  await schema.raw(
    'ALTER TABLE user_sessions ADD COLUMN credentials_version INT NOT NULL DEFAULT 1, ALGORITHM=INSTANT',
  );
  await schema.raw('ALTER TABLE user_links ADD COLUMN credentials_version INT NULL, ALGORITHM=INSTANT');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE user_links DROP COLUMN credentials_version');
  await schema.raw('ALTER TABLE user_sessions DROP COLUMN credentials_version');
  await schema.raw(
    'ALTER TABLE users DROP COLUMN credentials_version, DROP COLUMN refused_tries, DROP COLUMN refused_at',
  );
}
