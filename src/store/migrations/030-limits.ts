import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** Limits on what goes out, and what has gone out as they count it. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  // A limit is ended and never changed: what was in force when a payout was accepted can be proved later.
  await schema.raw(`
    CREATE TABLE outflow_limits (
      limit_id ${id} PRIMARY KEY,
      merchant_id ${id} NULL,
      rail ${word(20)} NULL,
      currency ${word(3)} NOT NULL,
      kind ${word(30)} NOT NULL,
      amount BIGINT NULL,
      cooldown_s INT NULL,
      most INT NULL,
      reason ${text(500)} NOT NULL,
      from_at ${at} NOT NULL,
      ended_at ${at} NULL,
      KEY in_force (ended_at, merchant_id, currency),
      CONSTRAINT limit_is_positive CHECK (COALESCE(amount, 1) > 0 AND COALESCE(cooldown_s, 1) > 0 AND COALESCE(most, 1) > 0)
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE outflow_gate (
      id TINYINT PRIMARY KEY,
      limits INT NOT NULL
    ) ${options}`);
  await schema.raw('INSERT INTO outflow_gate (id, limits) VALUES (1, 0)');
  await schema.raw(`
    CREATE TABLE outflow_turns (
      merchant_id ${id} NOT NULL,
      currency ${word(3)} NOT NULL,
      PRIMARY KEY (merchant_id, currency)
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE outflows (
      payment_id ${id} PRIMARY KEY,
      merchant_id ${id} NOT NULL,
      rail ${word(20)} NOT NULL,
      currency ${word(3)} NOT NULL,
      recipient_hash BINARY(32) NULL,
      amount BIGINT NOT NULL,
      accepted_at ${at} NOT NULL,
      released_at ${at} NULL,
      KEY by_time (merchant_id, currency, accepted_at, released_at, rail, amount),
      KEY by_recipient (merchant_id, recipient_hash, accepted_at)
    ) ${options}`);
  // What was accepted before counts, too, and its recipients are known.
  await schema.raw(`
    INSERT INTO outflows (payment_id, merchant_id, rail, currency, recipient_hash, amount, accepted_at, released_at)
    SELECT payment_id, merchant_id, rail, currency,
           UNHEX(COALESCE(SHA2(phone_number, 256),
                          SHA2(LOWER(JSON_UNQUOTE(JSON_EXTRACT(details, '$.recipient_email'))), 256))),
           requested_minor, created_at, IF(state IN ('failed', 'cancelled'), finished_at, NULL)
      FROM payments WHERE kind = 'payout'`);
}

export async function down(schema: Statements): Promise<void> {
  for (const table of ['outflows', 'outflow_turns', 'outflow_gate', 'outflow_limits'])
    await schema.raw(`DROP TABLE IF EXISTS ${table}`);
}
