import type { Knex } from 'knex';
import type { Database } from '../../../../src/store/database';

/** Locks a row, as a transaction of another process would. @returns the function that unlocks it. */
export async function lockRow(
  db: Database,
  table: string,
  where: Record<string, string>,
): Promise<() => Promise<void>> {
  let letGo: () => void = () => undefined;
  const wanted = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let over: Promise<void> = Promise.resolve();
  await new Promise<void>((locked, failed) => {
    over = db.transaction(async (trx: Knex.Transaction) => {
      await trx<Record<string, string>>(table).where(where).forUpdate().first();
      locked();
      await wanted;
    });
    over.catch(failed);
  });
  return async () => {
    letGo();
    await over;
  };
}
