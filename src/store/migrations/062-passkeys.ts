import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** Passkeys of the people of the portal, and how many each has: whoever signs in is asked for one by that. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE passkeys (
      passkey_id ${id} PRIMARY KEY,
      user_id ${id} NOT NULL,
      credential_hash BINARY(32) NOT NULL,
      credential_id ${word(1400)} NOT NULL,
      public_key VARBINARY(2048) NOT NULL,
      sign_count BIGINT NOT NULL,
      transports ${word(100)} NOT NULL,
      name ${text(60)} NOT NULL,
      challenged_ms BIGINT NOT NULL,
      created_at ${at} NOT NULL,
      last_used_at ${at} NULL,
      UNIQUE KEY one_credential (credential_hash),
      KEY by_user (user_id, created_at),
      FOREIGN KEY (user_id) REFERENCES users (user_id)
    ) ${options}`);
  await schema.raw('ALTER TABLE users ADD COLUMN passkeys INT NOT NULL DEFAULT 0, ALGORITHM=INSTANT');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE users DROP COLUMN passkeys');
  await schema.raw('DROP TABLE IF EXISTS passkeys');
}
