import type { Statements } from './migration';

export const kind = 'expand';

/** What an account held at some posting is summed up from its index alone. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    'ALTER TABLE ledger_postings DROP KEY by_account, ADD KEY by_account (account_id, seq, amount)',
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE ledger_postings DROP KEY by_account, ADD KEY by_account (account_id, seq)');
}
