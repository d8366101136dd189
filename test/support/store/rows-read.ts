import type { Database, Transaction } from '../../../src/store/database';

/** How many rows the database reads for a query. */
export function rowsRead(db: Database, query: (trx: Transaction) => PromiseLike<unknown>): Promise<number> {
  return db.transaction(async (trx) => {
    const count = async () => {
      const [rows] = (await trx.raw("SHOW SESSION STATUS LIKE 'Handler_read%'")) as [{ Value: string }[]];
      return rows.reduce((sum, { Value: value }) => sum + Number(value), 0);
    };
    // Reading the counters reads some rows itself.
    const own = -(await count()) + (await count());
    const before = await count();
    await query(trx);
    return (await count()) - before - own;
  });
}
