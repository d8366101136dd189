import type { Statements } from './migration';
import { at } from './columns';

export const kind = 'expand';

/** A voucher has the time of its next look, as a payment does: what is overdue is found by it, claimed, and rests. */
export async function up(schema: Statements): Promise<void> {
  // What a process of before writes is due at once: a look too many changes nothing.
  await schema.raw(`
    ALTER TABLE vouchers
      ADD COLUMN next_look_at ${at} NULL DEFAULT CURRENT_TIMESTAMP(3),
      ADD COLUMN woken_at ${at} NULL,
      ADD COLUMN wakes INT NOT NULL DEFAULT 0,
      ADD KEY due_look (next_look_at)`);
  await schema.raw(`
    UPDATE vouchers v LEFT JOIN mails m ON m.mail_id = v.mail_id
    SET v.next_look_at = CASE
      WHEN v.state <> 'active' THEN NULL
      WHEN m.state = 'new' THEN UTC_TIMESTAMP(3)
      ELSE v.expires_at + INTERVAL 1 MINUTE END`);
  await schema.raw(`
    ALTER TABLE vouchers
      ADD CONSTRAINT active_is_looked_at CHECK (state <> 'active' OR next_look_at IS NOT NULL)`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE vouchers
      DROP CONSTRAINT active_is_looked_at,
      DROP KEY due_look,
      DROP COLUMN next_look_at, DROP COLUMN woken_at, DROP COLUMN wakes`);
}
