import type { Statements } from './migration';

export const kind = 'expand';

/**
 * Only who may drop a trigger can see it, and the service's account may not; `verify` and `doctor` ask this procedure,
 * which looks with the eyes of the account that made it.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    `CREATE PROCEDURE append_only_triggers() SQL SECURITY DEFINER READS SQL DATA
     SELECT EVENT_OBJECT_TABLE AS on_table, EVENT_MANIPULATION AS action
     FROM information_schema.TRIGGERS
     WHERE EVENT_OBJECT_SCHEMA = DATABASE() AND ACTION_TIMING = 'BEFORE' AND ACTION_STATEMENT LIKE '%SIGNAL%'`,
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP PROCEDURE IF EXISTS append_only_triggers');
}
