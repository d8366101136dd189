import type { Statements } from './migration';

export const kind = 'expand';

/** Who was invited and has not come is counted by merchant, and forgotten with time. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(
    `ALTER TABLE memberships ADD KEY invited (accepted_at, created_at), ALGORITHM=INPLACE, LOCK=NONE`,
  );
  await schema.raw(
    `ALTER TABLE users ADD KEY never_came (password_set_at, created_at), ALGORITHM=INPLACE, LOCK=NONE`,
  );
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE users DROP KEY never_came');
  await schema.raw('ALTER TABLE memberships DROP KEY invited');
}
