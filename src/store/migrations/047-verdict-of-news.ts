import type { Statements } from './migration';
import { id } from './columns';

export const kind = 'expand';

/** From which proof the look went on that found what is broken: another one from there looks at all of that again. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`ALTER TABLE verdicts ADD COLUMN found_from ${id} NULL`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE verdicts DROP COLUMN found_from');
}
