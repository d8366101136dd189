import type { Statements } from './migration';
import { at, id, tableOptions, word } from './columns';

export const kind = 'expand';

/** What merchants asked of the API with their keys, for a week: never what was in a request, nor in its answer. */
export async function up(schema: Statements): Promise<void> {
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE api_requests (
      entry_id ${id} PRIMARY KEY,
      merchant_id ${id} NOT NULL,
      request_id ${word(80)} NOT NULL,
      method ${word(8)} NOT NULL,
      path ${word(120)} NOT NULL,
      status SMALLINT NOT NULL,
      code ${word(64)} NULL,
      duration_ms INT NOT NULL,
      created_at ${at} NOT NULL,
      KEY of_merchant (merchant_id, created_at, entry_id),
      KEY by_age (created_at)
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS api_requests');
}
