import type { Statements } from './migration';

export const kind = 'expand';

/**
 * All times are real ones, in a sandbox that was moved, too. Beside the moments that ages are counted from stands how much
 * time the sandbox had let pass until then. What an earlier version wrote stays as it is, and its ages stay right.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE payments
      ADD COLUMN accepted_ahead_ms BIGINT NOT NULL DEFAULT 0,
      ADD COLUMN finished_ahead_ms BIGINT NOT NULL DEFAULT 0, ALGORITHM=INSTANT`);
  await schema.raw(`
    ALTER TABLE outflow_limits
      ADD COLUMN from_ahead_ms BIGINT NOT NULL DEFAULT 0,
      ADD COLUMN ended_ahead_ms BIGINT NOT NULL DEFAULT 0, ALGORITHM=INSTANT`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE outflow_limits DROP COLUMN from_ahead_ms, DROP COLUMN ended_ahead_ms');
  await schema.raw('ALTER TABLE payments DROP COLUMN accepted_ahead_ms, DROP COLUMN finished_ahead_ms');
}
