import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** The providers' statements, line by line as they were read, and what each line turned out to be beside our books. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE provider_statements (
      statement_id ${id} PRIMARY KEY,
      provider ${word(24)} NOT NULL,
      file_hash BINARY(32) NOT NULL,
      file_name ${text(255)} NOT NULL,
      covers_from ${at} NOT NULL,
      covers_to ${at} NOT NULL,
      line_count INT NOT NULL,
      stored_at ${at} NOT NULL,
      UNIQUE KEY one_file (provider, file_hash),
      KEY by_period (provider, covers_to),
      CHECK (covers_from < covers_to)) ${options}`);
  await schema.raw(`
    CREATE TABLE statement_lines (
      line_id BIGINT AUTO_INCREMENT PRIMARY KEY,
      statement_id ${id} NOT NULL,
      n INT NOT NULL,
      provider ${word(24)} NOT NULL,
      provider_reference ${text(120)} NOT NULL,
      our_reference ${text(120)} NULL,
      original_reference ${text(120)} NULL,
      kind ${word(16)} NOT NULL,
      state ${word(16)} NOT NULL,
      currency ${word(3)} NOT NULL,
      amount_minor BIGINT NOT NULL,
      fee_minor BIGINT NULL,
      occurred_at ${at} NOT NULL,
      phone ${text(40)} NULL,
      description ${text(200)} NULL,
      UNIQUE KEY one_line (statement_id, n),
      KEY by_identity (provider, provider_reference, kind),
      KEY by_original (provider, original_reference),
      KEY by_time (provider, occurred_at),
      FOREIGN KEY (statement_id) REFERENCES provider_statements (statement_id)) ${options}`);
  await schema.raw(`
    CREATE TABLE reconciliation_results (
      subject ${word(64)} PRIMARY KEY,
      provider ${word(24)} NOT NULL,
      outcome ${word(16)} NOT NULL,
      kind ${word(16)} NOT NULL,
      line_id BIGINT NULL,
      payment_id ${id} NULL,
      currency ${word(3)} NOT NULL,
      amount_minor BIGINT NOT NULL,
      ours_minor BIGINT NULL,
      occurred_at ${at} NOT NULL,
      note ${text(255)} NOT NULL,
      decided_at ${at} NOT NULL,
      KEY by_time (provider, occurred_at),
      KEY by_outcome (outcome, occurred_at),
      KEY by_payment (payment_id),
      FOREIGN KEY (line_id) REFERENCES statement_lines (line_id),
      CHECK (line_id IS NOT NULL OR payment_id IS NOT NULL)) ${options}`);
  await schema.raw(`
    CREATE TABLE orphans (
      orphan_id BIGINT AUTO_INCREMENT PRIMARY KEY,
      provider ${word(24)} NOT NULL,
      provider_reference ${text(120)} NOT NULL,
      kind ${word(16)} NOT NULL,
      line_id BIGINT NOT NULL,
      currency ${word(3)} NOT NULL,
      amount_minor BIGINT NOT NULL,
      occurred_at ${at} NOT NULL,
      state ${word(16)} NOT NULL,
      entry_id BIGINT NULL,
      payment_id ${id} NULL,
      merchant_id ${id} NULL,
      claimed_by ${text(100)} NULL,
      approved_by ${text(100)} NULL,
      reason ${text(350)} NULL,
      found_at ${at} NOT NULL,
      closed_at ${at} NULL,
      UNIQUE KEY one_orphan (provider, provider_reference, kind),
      UNIQUE KEY one_entry (entry_id),
      KEY by_state (state, occurred_at),
      FOREIGN KEY (line_id) REFERENCES statement_lines (line_id),
      CHECK ((state = 'open') = (closed_at IS NULL))) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  for (const table of ['orphans', 'reconciliation_results', 'statement_lines', 'provider_statements'])
    await schema.raw(`DROP TABLE ${table}`);
}
