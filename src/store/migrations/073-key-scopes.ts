import type { Statements } from './migration';
import { at, id, tableOptions, word } from './columns';

export const kind = 'expand';

/**
 * What each API key may do; those that are there go on doing everything. And the right to pay out that somebody has asked
 * for a key, until a second person has confirmed it.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    `ALTER TABLE api_keys ADD COLUMN scopes ${word(64)} NOT NULL DEFAULT 'read,collect,payout', ALGORITHM=INSTANT`,
  );
  // A key that names no scopes does not pay out.
  await schema.raw("ALTER TABLE api_keys ALTER COLUMN scopes SET DEFAULT 'read,collect'");
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE key_confirmations (
      confirmation_id ${id} PRIMARY KEY,
      merchant_id ${id} NOT NULL,
      api_key ${word(80)} NOT NULL,
      state ${word(16)} NOT NULL,
      asked_by ${id} NOT NULL,
      asked_at ${at} NOT NULL,
      decided_by ${id} NULL,
      decided_at ${at} NULL,
      ended_why ${word(24)} NULL,
      KEY of_merchant (merchant_id, asked_at),
      KEY by_age (asked_at),
      FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id),
      FOREIGN KEY (asked_by) REFERENCES users (user_id),
      CHECK (state IN ('waiting', 'confirmed', 'refused')),
      CONSTRAINT another_confirms CHECK (state <> 'confirmed' OR decided_by <> asked_by)) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS key_confirmations');
  await schema.raw('ALTER TABLE api_keys DROP COLUMN scopes');
}
