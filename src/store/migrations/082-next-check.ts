import type { Statements } from './migration';

export const kind = 'expand';

const online = 'ALGORITHM=INPLACE, LOCK=NONE';

/** The words of the poll schedule: a payment and a voucher have a next check. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`ALTER TABLE payments RENAME COLUMN next_look_at TO next_check_at, ${online}`);
  await schema.raw(`ALTER TABLE payments RENAME INDEX due_look_of_rail TO due_check_of_rail, ${online}`);
  // A column that a constraint names is not renamed.
  await schema.raw('ALTER TABLE vouchers DROP CONSTRAINT active_is_looked_at');
  await schema.raw('ALTER TABLE vouchers RENAME COLUMN next_look_at TO next_check_at');
  await schema.raw('ALTER TABLE vouchers RENAME INDEX due_look TO due_check');
  await schema.raw(
    "ALTER TABLE vouchers ADD CONSTRAINT active_is_checked CHECK (state <> 'active' OR next_check_at IS NOT NULL)",
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE vouchers DROP CONSTRAINT active_is_checked');
  await schema.raw('ALTER TABLE vouchers RENAME INDEX due_check TO due_look');
  await schema.raw('ALTER TABLE vouchers RENAME COLUMN next_check_at TO next_look_at');
  await schema.raw(
    "ALTER TABLE vouchers ADD CONSTRAINT active_is_looked_at CHECK (state <> 'active' OR next_look_at IS NOT NULL)",
  );
  await schema.raw(`ALTER TABLE payments RENAME INDEX due_check_of_rail TO due_look_of_rail, ${online}`);
  await schema.raw(`ALTER TABLE payments RENAME COLUMN next_check_at TO next_look_at, ${online}`);
}
