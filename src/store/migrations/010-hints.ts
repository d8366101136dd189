import type { Statements } from './migration';
import { at } from './columns';

export const kind = 'expand';

/**
 * A notification that nobody vouches for is followed at a moment of its own, and ever later while it changes nothing.
 * Rows of before stand as proven, as they were treated.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE inbox
      ADD COLUMN follow_at ${at} NULL,
      ADD COLUMN repeats INT NOT NULL DEFAULT 0,
      ADD KEY by_follow (state, follow_at, received_at)`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE inbox DROP KEY by_follow, DROP COLUMN follow_at, DROP COLUMN repeats');
}
