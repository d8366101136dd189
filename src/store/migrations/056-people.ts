import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

const tables: Record<string, string> = {
  users: `
    user_id ${id} PRIMARY KEY,
    email ${word(254)} NOT NULL,
    password_hash ${word(255)} NULL,
    locale ${word(8)} NOT NULL DEFAULT 'en',
    totp_secret ${word(512)} NULL,
    totp_last_step BIGINT NULL,
    operator_name ${word(40)} NULL,
    created_by ${text(100)} NOT NULL,
    created_at ${at} NOT NULL,
    password_set_at ${at} NULL,
    ended_at ${at} NULL,
    UNIQUE KEY one_email (email),
    UNIQUE KEY one_operator (operator_name)`,
  memberships: `
    merchant_id ${id} NOT NULL,
    user_id ${id} NOT NULL,
    role ${word(16)} NOT NULL,
    created_by ${text(100)} NOT NULL,
    created_at ${at} NOT NULL,
    accepted_at ${at} NULL,
    PRIMARY KEY (merchant_id, user_id),
    KEY by_user (user_id),
    FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id),
    FOREIGN KEY (user_id) REFERENCES users (user_id),
    CHECK (role IN ('owner', 'developer', 'finance', 'viewer'))`,
  user_sessions: `
    session_hash BINARY(32) PRIMARY KEY,
    session_id ${id} NOT NULL,
    user_id ${id} NOT NULL,
    created_at ${at} NOT NULL,
    seen_at ${at} NOT NULL,
    expires_at ${at} NOT NULL,
    passed_second TINYINT NOT NULL DEFAULT 0,
    proved_at ${at} NULL,
    address ${word(64)} NOT NULL,
    agent ${text(200)} NOT NULL,
    UNIQUE KEY one_id (session_id),
    KEY by_user (user_id, created_at),
    KEY by_end (expires_at),
    FOREIGN KEY (user_id) REFERENCES users (user_id)`,
  user_links: `
    link_hash BINARY(32) PRIMARY KEY,
    kind ${word(16)} NOT NULL,
    user_id ${id} NOT NULL,
    merchant_id ${id} NULL,
    created_at ${at} NOT NULL,
    expires_at ${at} NOT NULL,
    used_at ${at} NULL,
    KEY by_user (user_id, kind),
    KEY by_end (expires_at),
    FOREIGN KEY (user_id) REFERENCES users (user_id),
    CHECK (kind IN ('invitation', 'reset'))`,
  recovery_codes: `
    user_id ${id} NOT NULL,
    code_hash BINARY(32) NOT NULL,
    used_at ${at} NULL,
    PRIMARY KEY (user_id, code_hash),
    FOREIGN KEY (user_id) REFERENCES users (user_id)`,
};

/** The people who work in the portal: how they prove themselves, and whose business they see. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  for (const [name, columns] of Object.entries(tables)) {
    await schema.raw(`CREATE TABLE ${name} (${columns}) ${options}`);
  }
}

export async function down(schema: Statements): Promise<void> {
  for (const name of Object.keys(tables).reverse()) await schema.raw(`DROP TABLE IF EXISTS ${name}`);
}
