import type { Statements } from './migration';
import { at, tableOptions, text, word } from './columns';

export const kind = 'expand';

const tables: Record<string, string> = {
  approvals: `
    approval_id BIGINT AUTO_INCREMENT PRIMARY KEY,
    command MEDIUMTEXT NOT NULL,
    kind ${word(16)} NOT NULL,
    currency ${word(3)} NULL,
    amount_minor BIGINT NULL,
    asked_by ${word(40)} NOT NULL,
    asked_at ${at} NOT NULL,
    expires_at ${at} NOT NULL,
    state ${word(16)} NOT NULL DEFAULT 'pending',
    decided_by ${word(40)} NULL,
    decided_at ${at} NULL,
    reason ${text(400)} NULL,
    KEY by_state (state, approval_id),
    CHECK (state IN ('pending', 'approved', 'rejected')),
    CONSTRAINT never_ones_own CHECK (state <> 'approved' OR decided_by <> asked_by)`,
  approval_rules: `
    kind ${word(16)} NOT NULL,
    currency ${word(3)} NOT NULL,
    from_minor BIGINT NULL,
    set_by ${text(100)} NOT NULL,
    set_at ${at} NOT NULL,
    PRIMARY KEY (kind, currency)`,
};

/** What one operator has asked for and a second one decides about, and from what on that is needed. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  for (const [name, columns] of Object.entries(tables)) {
    await schema.raw(`CREATE TABLE ${name} (${columns}) ${options}`);
  }
}

export async function down(schema: Statements): Promise<void> {
  for (const name of Object.keys(tables).reverse()) await schema.raw(`DROP TABLE IF EXISTS ${name}`);
}
