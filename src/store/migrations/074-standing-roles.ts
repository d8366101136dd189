import type { Statements } from './migration';
import { at, id, tableOptions, word } from './columns';

export const kind = 'expand';

/**
 * Since when a member may decide on money, who could until a moment ago, and what that was for payouts that wait: whether
 * somebody else could decide when they were put together, and why they ended without anybody's decision.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`ALTER TABLE memberships ADD COLUMN decides_since ${at} NULL, ALGORITHM=INSTANT`);
  await schema.raw(
    `ALTER TABLE payout_batches ADD COLUMN second_person TINYINT NULL,
       ADD COLUMN ended_why ${word(24)} NULL, ALGORITHM=INSTANT`,
  );
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE former_deciders (
      merchant_id ${id} NOT NULL,
      user_id ${id} NOT NULL,
      until_at ${at} NOT NULL,
      PRIMARY KEY (merchant_id, user_id),
      KEY by_age (until_at),
      FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id),
      FOREIGN KEY (user_id) REFERENCES users (user_id)) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS former_deciders');
  await schema.raw('ALTER TABLE payout_batches DROP COLUMN ended_why, DROP COLUMN second_person');
  await schema.raw('ALTER TABLE memberships DROP COLUMN decides_since');
}
