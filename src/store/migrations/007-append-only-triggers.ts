import type { Knex } from 'knex';

/**
 * Only who may drop a trigger can see it, and the service's account may not; `verify` and `doctor` ask this procedure,
 * which looks with the eyes of the account that made it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `CREATE PROCEDURE append_only_triggers() SQL SECURITY DEFINER READS SQL DATA
     SELECT EVENT_OBJECT_TABLE AS on_table, EVENT_MANIPULATION AS action
     FROM information_schema.TRIGGERS
     WHERE EVENT_OBJECT_SCHEMA = DATABASE() AND ACTION_TIMING = 'BEFORE' AND ACTION_STATEMENT LIKE '%SIGNAL%'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP PROCEDURE IF EXISTS append_only_triggers');
}
