/** The disk space of a run's payments in the database. */
import type { Database } from '../../../src/store/database';

/** @returns a function that returns the bytes of each payment written since. */
export async function diskMeter(admin: Database): Promise<() => Promise<number>> {
  const before = { bytes: await databaseBytes(admin), payments: await paymentsIn(admin) };
  return async () => {
    const bytes = (await databaseBytes(admin)) - before.bytes;
    return Math.round(bytes / ((await paymentsIn(admin)) - before.payments));
  };
}

async function paymentsIn(admin: Database): Promise<number> {
  const [row] = await admin('payments').count<{ n: string | number }[]>({ n: '*' });
  return Number(row?.n ?? 0);
}

/** Pages of all tables and their indexes, as the server counts them. */
export async function databaseBytes(admin: Database): Promise<number> {
  const [tables] = (await admin.raw("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'")) as unknown as [
    Record<string, string>[],
  ];
  // The server returns a remembered number until it counts again.
  for (const table of tables) await admin.raw('ANALYZE TABLE ??', [Object.values(table)[0] ?? '']);
  const [[total]] = (await admin.raw(
    `SELECT SUM(data_length + index_length) AS bytes FROM information_schema.tables
     WHERE table_schema = DATABASE()`,
  )) as unknown as [[{ bytes: string }]];
  return Number(total.bytes);
}
