import type { Statements } from './migration';
import { at, id, tableOptions, text, word } from './columns';

export const kind = 'expand';

/** How each try to tell a further endpoint went, and what its merchant wants sent there once more. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE endpoint_tries (
      delivery_id ${id} PRIMARY KEY,
      endpoint_id ${id} NOT NULL,
      event_id ${id} NOT NULL,
      position BIGINT NOT NULL,
      payment_id ${id} NOT NULL,
      type ${word(40)} NOT NULL,
      n INT NOT NULL,
      http_status SMALLINT NULL,
      duration_ms INT NOT NULL,
      error ${text(500)} NULL,
      response_excerpt ${text(1000)} NULL,
      created_at ${at} NOT NULL,
      KEY of_endpoint (endpoint_id, created_at, delivery_id),
      KEY of_event (endpoint_id, event_id, created_at, delivery_id),
      KEY by_age (created_at)
    ) ${options}`);
  await schema.raw(`
    CREATE TABLE endpoint_resends (
      endpoint_id ${id} NOT NULL,
      event_id ${id} NOT NULL,
      position BIGINT NOT NULL,
      tries INT NOT NULL DEFAULT 0,
      next_at ${at} NOT NULL,
      created_at ${at} NOT NULL,
      PRIMARY KEY (endpoint_id, event_id),
      KEY of_endpoint (endpoint_id, next_at),
      KEY by_age (created_at)
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS endpoint_resends');
  await schema.raw('DROP TABLE IF EXISTS endpoint_tries');
}
