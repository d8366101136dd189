import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(
    `CREATE TABLE vouchers (
      voucher_id ${id} PRIMARY KEY,
      merchant_id ${id} NOT NULL,
      workflow_id ${word(120)} NOT NULL,
      state ${word(16)} NOT NULL DEFAULT 'active',
      code_hash BINARY(32) NOT NULL,
      code_last4 ${word(4)} NOT NULL,
      email ${text(254)} NOT NULL,
      currency ${word(3)} NOT NULL,
      amount_minor BIGINT NOT NULL,
      mail_id ${id} NOT NULL,
      request_id ${text(80)} NULL,
      created_at ${at} NOT NULL,
      expires_at ${at} NOT NULL,
      finished_at ${at} NULL,
      UNIQUE KEY one_code (code_hash),
      UNIQUE KEY one_workflow (workflow_id),
      KEY by_merchant (merchant_id, created_at),
      KEY due (state, expires_at),
      FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id),
      CHECK (state IN ('active', 'redeemed', 'expired')),
      CHECK (amount_minor > 0)
    ) ${options}`,
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS vouchers');
}
