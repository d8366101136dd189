import type { Statements } from './migration';

export const kind = 'expand';

/** What was missing from a wallet while its payouts were stopped: they are stopped again where more is missing. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE float_wallets ADD COLUMN stopped_for_minor BIGINT NULL');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE float_wallets DROP COLUMN stopped_for_minor');
}
