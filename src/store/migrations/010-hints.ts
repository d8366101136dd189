import type { Knex } from 'knex';
import { at } from './columns';

/**
 * A notification that nobody vouches for is followed at a moment of its own, and ever later while it changes nothing.
 * Rows of before stand as proven, as they were treated.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE inbox
      ADD COLUMN follow_at ${at} NULL,
      ADD COLUMN repeats INT NOT NULL DEFAULT 0,
      ADD KEY by_follow (state, follow_at, received_at)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE inbox DROP KEY by_follow, DROP COLUMN follow_at, DROP COLUMN repeats');
}
