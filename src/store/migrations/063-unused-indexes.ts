import type { Statements } from './migration';

export const kind = 'contract';
/** From there on due looks are found by rail. */
export const needs = '027-looks-by-rail';

/**
 * Indexes that no statement goes by any more, and that every payment and voucher still pays for: due looks are found by
 * rail (`due_look_of_rail`), and vouchers by their next look.
 */
export async function up(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE payments DROP KEY due_look, ALGORITHM=INPLACE, LOCK=NONE');
  await schema.raw('ALTER TABLE vouchers DROP KEY due, ALGORITHM=INPLACE, LOCK=NONE');
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE payments ADD KEY due_look (next_look_at), ALGORITHM=INPLACE, LOCK=NONE');
  await schema.raw('ALTER TABLE vouchers ADD KEY due (state, expires_at), ALGORITHM=INPLACE, LOCK=NONE');
}
