import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/**
 * The providers' wallets beside our books. `float_rounds` is one row: when they are asked next, by whom, and up to which
 * posting the books are old enough to be added up. What differs when counting begins is learnt (see care/float-proof), so
 * that it may begin anywhere; it begins here.
 */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE float_rounds (
      id TINYINT PRIMARY KEY,
      due_at ${at} NOT NULL,
      leased_by ${id} NULL,
      leased_until ${at} NULL,
      counted_seq BIGINT NOT NULL,
      finished_at ${at} NULL
    ) ${options}`);
  await schema.raw(`
    INSERT INTO float_rounds (id, due_at, counted_seq)
    SELECT 1, UTC_TIMESTAMP(3) + INTERVAL 10 MINUTE, COALESCE(MAX(seq), 0) FROM ledger_postings`);
  await schema.raw(`
    CREATE TABLE float_wallets (
      provider ${word(24)} NOT NULL,
      country ${word(3)} NOT NULL,
      currency ${word(3)} NOT NULL,
      counted_seq BIGINT NOT NULL,
      counted_minor BIGINT NOT NULL DEFAULT 0,
      turnover_minor BIGINT NOT NULL DEFAULT 0,
      unplaced_minor BIGINT NOT NULL DEFAULT 0,
      offset_lo BIGINT NULL,
      offset_hi BIGINT NULL,
      turnover_from BIGINT NOT NULL DEFAULT 0,
      unplaced_from BIGINT NOT NULL DEFAULT 0,
      fee_per_mille INT NULL,
      baseline_by ${text(100)} NULL,
      baseline_at ${at} NULL,
      asked_at ${at} NULL,
      verdict ${word(16)} NOT NULL DEFAULT 'unknown',
      in_a_row INT NOT NULL DEFAULT 0,
      told_at ${at} NULL,
      balance_minor BIGINT NULL,
      seen_lo BIGINT NULL,
      seen_hi BIGINT NULL,
      seen_turnover BIGINT NULL,
      seen_unplaced BIGINT NULL,
      gap_minor BIGINT NOT NULL DEFAULT 0,
      note ${text(255)} NOT NULL DEFAULT '',
      PRIMARY KEY (provider, country, currency),
      CHECK (offset_lo <= offset_hi),
      CHECK (gap_minor >= 0)
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE float_proofs (
      proof_id BIGINT AUTO_INCREMENT PRIMARY KEY,
      provider ${word(24)} NOT NULL,
      country ${word(3)} NOT NULL,
      currency ${word(3)} NOT NULL,
      asked_at ${at} NOT NULL,
      verdict ${word(16)} NOT NULL,
      balance_minor BIGINT NULL,
      least_minor BIGINT NULL,
      most_minor BIGINT NULL,
      gap_minor BIGINT NOT NULL,
      note ${text(255)} NOT NULL,
      KEY by_age (asked_at),
      KEY by_wallet (provider, country, currency, asked_at)
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  for (const table of ['float_proofs', 'float_wallets', 'float_rounds'])
    await schema.raw(`DROP TABLE IF EXISTS ${table}`);
}
