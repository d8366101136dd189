import type { Statements } from './migration';
import { word } from './columns';

export const kind = 'expand';

/**
 * What waits for a second operator is an action: its kind, the version of its input, and that input. What was asked for
 * as words of a command has the version 0, which no code approves.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE approvals
      MODIFY COLUMN command MEDIUMTEXT NULL,
      ADD COLUMN action ${word(64)} NOT NULL DEFAULT '',
      ADD COLUMN version INT NOT NULL DEFAULT 0,
      ADD COLUMN input MEDIUMTEXT NULL,
      ADD COLUMN texts MEDIUMTEXT NULL`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw(
    'ALTER TABLE approvals DROP COLUMN texts, DROP COLUMN input, DROP COLUMN version, DROP COLUMN action',
  );
}
