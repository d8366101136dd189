import type { Statements } from './migration';

export const kind = 'expand';

/** A merchant finds its payments by what it called them, however many others use the same words. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    ALTER TABLE payments
      ADD KEY by_merchant_order (merchant_id, order_id(100)),
      ADD KEY by_merchant_reference (merchant_id, account_reference(100)),
      ALGORITHM=INPLACE, LOCK=NONE`);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('ALTER TABLE payments DROP KEY by_merchant_reference, DROP KEY by_merchant_order');
}
