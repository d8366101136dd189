import type { Knex } from 'knex';
import { at } from './columns';

/** A voucher has the time of its next look, as a payment does: what is overdue is found by it, claimed, and rests. */
export async function up(knex: Knex): Promise<void> {
  // What a process of before writes is due at once: a look too many changes nothing.
  await knex.raw(`
    ALTER TABLE vouchers
      ADD COLUMN next_look_at ${at} NULL DEFAULT CURRENT_TIMESTAMP(3),
      ADD COLUMN woken_at ${at} NULL,
      ADD COLUMN wakes INT NOT NULL DEFAULT 0,
      ADD KEY due_look (next_look_at)`);
  await knex.raw(`
    UPDATE vouchers v LEFT JOIN mails m ON m.mail_id = v.mail_id
    SET v.next_look_at = CASE
      WHEN v.state <> 'active' THEN NULL
      WHEN m.state = 'new' THEN UTC_TIMESTAMP(3)
      ELSE v.expires_at + INTERVAL 1 MINUTE END`);
  await knex.raw(`
    ALTER TABLE vouchers
      ADD CONSTRAINT active_is_looked_at CHECK (state <> 'active' OR next_look_at IS NOT NULL)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE vouchers
      DROP CONSTRAINT active_is_looked_at,
      DROP KEY due_look,
      DROP COLUMN next_look_at, DROP COLUMN woken_at, DROP COLUMN wakes`);
}
