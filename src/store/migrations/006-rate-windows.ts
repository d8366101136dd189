import type { Statements } from './migration';
import { word } from './columns';

export const kind = 'expand';

/** What went through in the last minute, and when a bucket is as good as none: see merchants/rate-limit.ts. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    `ALTER TABLE rate_limit_buckets
      ADD COLUMN spent BIGINT NOT NULL DEFAULT 0,
      ADD COLUMN recent ${word(610)} NOT NULL DEFAULT '',
      ADD COLUMN taken_at DATETIME(6) NULL,
      ADD COLUMN forget_at DATETIME NULL,
      ADD KEY forgotten (forget_at)`,
  );
  await schema.raw('UPDATE rate_limit_buckets SET forget_at = UTC_TIMESTAMP() + INTERVAL 1 DAY');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw(
    `ALTER TABLE rate_limit_buckets
      DROP KEY forgotten, DROP COLUMN forget_at, DROP COLUMN taken_at, DROP COLUMN recent, DROP COLUMN spent`,
  );
}
