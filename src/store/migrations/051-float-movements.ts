import type { Statements } from './migration';

export const kind = 'expand';

/** What an operator said to put into a wallet or to take out of it, until the wallet shows it. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE float_wallets
      ADD COLUMN coming_minor BIGINT NOT NULL DEFAULT 0,
      ADD COLUMN going_minor BIGINT NOT NULL DEFAULT 0`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE float_wallets DROP COLUMN coming_minor, DROP COLUMN going_minor');
}
