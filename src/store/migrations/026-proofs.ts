import type { Statements } from './migration';
import { at, id, tableOptions, word } from './columns';

export const kind = 'expand';

/** What a check of the news looks at again whenever it changes. Logs and the ledger are only ever added to. */
const changing = ['payments', 'attempts', 'holds', 'outbox', 'cases', 'vouchers'];

/** Unlike the times that we write ourselves, which are all UTC, one that the server stamps must not depend on the zone of a session. */
const stamped = 'TIMESTAMP(3)';

/**
 * What `malipo verify` has proved, so that the next run checks what is new alone. The database itself notes when a row
 * was changed last, whoever changes it; no statement has to think of it, and none sees it.
 */
export async function up(schema: Statements): Promise<void> {
  for (const table of changing) {
    await schema.raw(`
      ALTER TABLE ${table}
        ADD COLUMN changed_at ${stamped} NOT NULL INVISIBLE
          DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
        ADD KEY by_change (changed_at)`);
  }
  await schema.raw('ALTER TABLE idempotency_keys ADD KEY by_payment (payment_id)');
  await schema.raw('ALTER TABLE bulk_payouts ADD KEY by_age (created_at)');
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE proofs (
      id TINYINT PRIMARY KEY,
      run_id ${id} NOT NULL,
      fingerprint BINARY(32) NOT NULL,
      changed_since ${at} NOT NULL,
      entry_id BIGINT NOT NULL,
      seq BIGINT NOT NULL,
      log_id BIGINT NOT NULL,
      inbox_id BIGINT NOT NULL,
      proved_at ${at} NOT NULL,
      full_at ${at} NOT NULL
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE proof_sums (
      account_id BIGINT NOT NULL,
      currency ${word(3)} NOT NULL,
      postings BIGINT NOT NULL,
      total BIGINT NOT NULL,
      digest BIGINT UNSIGNED NOT NULL,
      PRIMARY KEY (account_id, currency)
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE proof_news (
      run_id ${id} NOT NULL,
      id ${id} NOT NULL,
      noted_at ${stamped} NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
      PRIMARY KEY (run_id, id)
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  for (const table of ['proof_news', 'proof_sums', 'proofs'])
    await schema.raw(`DROP TABLE IF EXISTS ${table}`);
  await schema.raw('ALTER TABLE bulk_payouts DROP KEY by_age');
  await schema.raw('ALTER TABLE idempotency_keys DROP KEY by_payment');
  for (const table of changing)
    await schema.raw(`ALTER TABLE ${table} DROP KEY by_change, DROP COLUMN changed_at`);
}
