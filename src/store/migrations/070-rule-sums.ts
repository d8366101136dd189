import type { Statements } from './migration';
import { tableOptions, word } from './columns';

export const kind = 'expand';

/** What each rule of the reconciliation has explained, by provider and day in UTC, without a payment of ours. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE rule_sums (
      provider ${word(24)} NOT NULL,
      day ${word(10)} NOT NULL,
      currency ${word(3)} NOT NULL,
      rule ${word(60)} NOT NULL,
      line_count INT NOT NULL,
      amount_minor BIGINT NOT NULL,
      asked_minor BIGINT NULL,
      PRIMARY KEY (provider, day, currency, rule),
      KEY by_day (day)
    ) ${await tableOptions(schema)}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS rule_sums');
}
