import type { Statements } from './migration';

export const kind = 'expand';

/**
 * A deposit that may be taken back is held in its wallet as far as the wallet has it: `wanted` is what should be held,
 * and `gone_before` what had gone back when it began to be contested. Both are NULL for money that goes out.
 */
export async function up(schema: Statements): Promise<void> {
  await replaceChecks(schema, [
    'ADD COLUMN wanted BIGINT NULL',
    'ADD COLUMN gone_before BIGINT NULL',
    'ADD CONSTRAINT hold_amount CHECK (amount > 0 OR (amount = 0 AND wanted IS NOT NULL))',
    'ADD CONSTRAINT hold_wanted CHECK (wanted IS NULL OR wanted >= 0)',
  ]);
  // What a case was open about before has no hold yet: its next look places it.
  await schema.raw(`
    UPDATE payments SET next_look_at = UTC_TIMESTAMP(3)
    WHERE kind = 'deposit' AND state IN ('succeeded', 'refunded', 'reversed') AND payment_id IN (
      SELECT payment_id FROM cases WHERE closed_at IS NULL AND reason IN ('disputed', 'reversal_told'))`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DELETE FROM holds WHERE amount = 0');
  await replaceChecks(schema, [
    'DROP COLUMN wanted',
    'DROP COLUMN gone_before',
    'ADD CONSTRAINT hold_amount CHECK (amount > 0)',
  ]);
}

/** The two servers name differently what was given no name. */
async function replaceChecks(schema: Statements, changes: string[]): Promise<void> {
  const [checks] = (await schema.raw(
    `SELECT CONSTRAINT_NAME AS name FROM information_schema.TABLE_CONSTRAINTS
     WHERE CONSTRAINT_SCHEMA = DATABASE() AND TABLE_NAME = 'holds' AND CONSTRAINT_TYPE = 'CHECK'`,
  )) as [{ name: string }[]];
  const all = [
    ...checks.map(({ name }) => `DROP CONSTRAINT \`${name}\``),
    ...changes,
    `ADD CONSTRAINT hold_state CHECK (state IN ('open', 'posted', 'released'))`,
  ];
  await schema.raw(`ALTER TABLE holds ${all.join(', ')}`);
}
