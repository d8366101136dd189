import type { Statements } from './migration';
import { at, tableOptions, text, word } from './columns';

export const kind = 'expand';

const tables: Record<string, string> = {
  operators: `
    name ${word(40)} PRIMARY KEY,
    role ${word(16)} NOT NULL,
    token_hash BINARY(32) NOT NULL,
    created_by ${text(100)} NOT NULL,
    created_at ${at} NOT NULL,
    rotated_at ${at} NULL,
    revoked_at ${at} NULL,
    CHECK (role IN ('operator', 'approver', 'auditor'))`,
  // The details are text and not JSON: a server that keeps them in an order of its own would break the chain.
  audit_log: `
    seq BIGINT PRIMARY KEY,
    at ${at} NOT NULL,
    acted_by ${text(100)} NOT NULL,
    action ${word(64)} NOT NULL,
    subject_kind ${word(32)} NOT NULL,
    subject_id ${text(160)} NOT NULL,
    details MEDIUMTEXT NOT NULL,
    previous_hash BINARY(32) NOT NULL,
    hash BINARY(32) NOT NULL,
    KEY by_subject (subject_kind, subject_id)`,
  audit_head: `
    id TINYINT PRIMARY KEY,
    seq BIGINT NOT NULL,
    hash BINARY(32) NOT NULL`,
};

/** Who operates the engine, and a chained log of what they did that is only ever added to. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  for (const [name, columns] of Object.entries(tables)) {
    await schema.raw(`CREATE TABLE ${name} (${columns}) ${options}`);
  }
  await schema.raw("INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, UNHEX(REPEAT('00', 32)))");
  for (const action of ['UPDATE', 'DELETE']) {
    await schema.raw(
      `CREATE TRIGGER audit_log_no_${action.toLowerCase()} BEFORE ${action} ON audit_log FOR EACH ROW
       SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'audit_log is append-only'`,
    );
  }
}

export async function down(schema: Statements): Promise<void> {
  for (const name of Object.keys(tables).reverse()) await schema.raw(`DROP TABLE IF EXISTS ${name}`);
}
