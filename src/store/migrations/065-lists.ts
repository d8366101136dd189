import type { Statements } from './migration';

export const kind = 'expand';

/**
 * What people look for among many has its index: a merchant's payments that wait, whose entry changes once in the life of
 * a payment, and begins with what no other list of a merchant's asks for, so that none is tempted to sort by it; the audit
 * log by who acted and by what was done; open cases by their reason.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE payments ADD KEY waiting_of_merchant (is_final, merchant_id, created_at),
      ALGORITHM=INPLACE, LOCK=NONE`);
  await schema.raw(`
    ALTER TABLE audit_log ADD KEY by_actor (acted_by), ADD KEY by_action (action),
      ALGORITHM=INPLACE, LOCK=NONE`);
  await schema.raw(
    'ALTER TABLE cases ADD KEY open_by_reason (closed_at, reason), ALGORITHM=INPLACE, LOCK=NONE',
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE cases DROP KEY open_by_reason');
  await schema.raw('ALTER TABLE audit_log DROP KEY by_actor, DROP KEY by_action');
  await schema.raw('ALTER TABLE payments DROP KEY waiting_of_merchant');
}
