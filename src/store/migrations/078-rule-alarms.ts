import type { Statements } from './migration';
import { at, tableOptions, word } from './columns';

export const kind = 'expand';

/** What each rule of reconciliation explained, by day; and the days of which a person was asked about it. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE reconciliation_results
      ADD KEY by_rule (provider, rule, occurred_at, currency, amount_minor), ALGORITHM=INPLACE, LOCK=NONE`);
  const options = await tableOptions(schema);
  await schema.raw(`
    CREATE TABLE rule_alarms (
      provider ${word(24)} NOT NULL,
      rule ${word(60)} NOT NULL,
      currency ${word(3)} NOT NULL,
      day DATE NOT NULL,
      amount_minor BIGINT NOT NULL,
      noted_at ${at} NOT NULL,
      PRIMARY KEY (provider, day, rule, currency)
    ) ${options}`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS rule_alarms');
  await schema.raw('ALTER TABLE reconciliation_results DROP KEY by_rule');
}
