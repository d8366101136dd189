import type { Statements } from './migration';
import { at, tableOptions, word } from './columns';

export const kind = 'expand';

/** What `malipo prune` empties: rows whose body tells of people long after it is needed. */
const withBodies = ['inbox', 'outbox', 'mails'];

/** What grows has an end, and every list reads an index. */
export async function up(schema: Statements): Promise<void> {
  for (const table of withBodies) {
    // Rows of before count from now on.
    await schema.raw(`
      ALTER TABLE ${table}
        ADD COLUMN body_since ${at} NULL DEFAULT CURRENT_TIMESTAMP(3),
        ADD COLUMN body_pruned_at ${at} NULL,
        ADD COLUMN body_sha256 BINARY(32) NULL,
        ADD KEY old_bodies (body_since)`);
  }
  await schema.raw(`
    CREATE TABLE prunings (
      id TINYINT PRIMARY KEY,
      due_at ${at} NOT NULL,
      leased_by ${word(36)} NULL,
      leased_until ${at} NULL,
      finished_at ${at} NULL
    ) ${await tableOptions(schema)}`);
  await schema.raw('INSERT INTO prunings (id, due_at) VALUES (1, UTC_TIMESTAMP(3) + INTERVAL 1 DAY)');
  // The service may only add to this log, and may forget nothing of it but what a merchant answered to what is pruned.
  await schema.raw(`
    CREATE PROCEDURE forget_answers(IN of_webhook CHAR(36) CHARACTER SET ascii COLLATE ascii_bin)
    SQL SECURITY DEFINER MODIFIES SQL DATA
    UPDATE webhook_deliveries d JOIN outbox o ON o.webhook_id = d.webhook_id
    SET d.response_excerpt = NULL
    WHERE o.webhook_id = of_webhook AND o.body_pruned_at IS NOT NULL`);
  await schema.raw(`
    ALTER TABLE payments
      DROP KEY unfinished,
      ADD KEY by_standing (is_final, state, updated_at),
      ADD KEY by_age (created_at),
      ADD KEY by_state (state, created_at)`);
  await schema.raw('ALTER TABLE vouchers ADD KEY by_age (created_at)');
  // No statement asks for the holds of an account.
  await schema.raw('ALTER TABLE holds DROP KEY by_account');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE holds ADD KEY by_account (account_id, state)');
  await schema.raw('ALTER TABLE vouchers DROP KEY by_age');
  await schema.raw(`
    ALTER TABLE payments
      DROP KEY by_state, DROP KEY by_age, DROP KEY by_standing, ADD KEY unfinished (is_final, updated_at)`);
  await schema.raw('DROP PROCEDURE IF EXISTS forget_answers');
  await schema.raw('DROP TABLE IF EXISTS prunings');
  for (const table of withBodies) {
    await schema.raw(`
      ALTER TABLE ${table}
        DROP KEY old_bodies, DROP COLUMN body_since, DROP COLUMN body_pruned_at, DROP COLUMN body_sha256`);
  }
}
