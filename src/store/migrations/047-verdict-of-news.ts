import type { Knex } from 'knex';
import { id } from './columns';

/** From which proof the look went on that found what is broken: another one from there looks at all of that again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE verdicts ADD COLUMN found_from ${id} NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE verdicts DROP COLUMN found_from');
}
