import type { Statements } from './migration';

export const kind = 'expand';

/**
 * Due looks are found by rail, and those at what has ended apart from those at what is open: a provider that hangs, and
 * thousands of its payments, stand in the way of nobody else's. Workers of before find them by `due_look` until they are
 * replaced, so that it may only go with a later migration.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE payments ADD KEY due_look_of_rail (is_final, rail, next_look_at)');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE payments DROP KEY due_look_of_rail');
}
