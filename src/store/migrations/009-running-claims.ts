import type { Statements } from './migration';

export const kind = 'expand';

/** A process finds the claims that are its own, all the time: there are few of them among very many keys. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE idempotency_keys ADD KEY by_process (process_id, state)');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE idempotency_keys DROP KEY by_process');
}
