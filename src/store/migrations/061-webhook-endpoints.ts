import type { Statements } from './migration';
import { at, id, tableOptions, text } from './columns';

export const kind = 'expand';

/** Further addresses that a merchant is told at, each with its secret, its types of events and its place in the feed. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE webhook_endpoints (
      endpoint_id ${id} PRIMARY KEY,
      merchant_id ${id} NOT NULL,
      url ${text(2000)} NOT NULL,
      types TEXT NOT NULL,
      webhook_secret ${text(255)} NOT NULL,
      previous_webhook_secret ${text(255)} NULL,
      position BIGINT NOT NULL,
      event_id ${id} NOT NULL,
      tries INT NOT NULL DEFAULT 0,
      skipped BIGINT NOT NULL DEFAULT 0,
      next_at ${at} NOT NULL,
      last_status SMALLINT NULL,
      last_error ${text(500)} NULL,
      delivered_at ${at} NULL,
      created_at ${at} NOT NULL,
      ended_at ${at} NULL,
      KEY of_merchant (merchant_id, created_at),
      KEY by_due (ended_at, next_at)
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS webhook_endpoints');
}
