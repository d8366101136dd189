import type { Statements } from './migration';

export const kind = 'expand';

/** What is about no payment of ours is one case for all that is alike: how often it was seen stands with it. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE cases ADD COLUMN times INT NOT NULL DEFAULT 1');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE cases DROP COLUMN times');
}
