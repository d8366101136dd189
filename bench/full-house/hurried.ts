/** A database server that is in a hurry: for rows that can be made again, and never for a payment. */
import { waitFor } from '../../src/ops/services/wait-for';
import type { Database } from '../../src/store/database';

/** Fewer rows fit into the server as it is. */
const manyPayments = 100_000;
const megabyte = 1_048_576;
/** Room for the indexes of the largest table, and commits that wait for no disk. */
const settings = { innodb_buffer_pool_size: 2_048 * megabyte, innodb_flush_log_at_trx_commit: 0 };
/** What is not on disk when measuring begins would be written meanwhile. */
const written = { dirtyPagesMax: 200, withinMs: 300_000 };

/** Runs `work`, and gives the server back as it was: its own settings, and nothing left to write. */
export async function hurried(admin: Database, payments: number, work: () => Promise<void>): Promise<void> {
  if (payments < manyPayments) return work();
  const before = await valuesOf(admin, Object.keys(settings));
  try {
    for (const [name, value] of Object.entries(settings)) await set(admin, name, value);
    await work();
  } finally {
    for (const [name, value] of Object.entries(before)) await set(admin, name, value);
  }
  const share = await valuesOf(admin, ['innodb_max_dirty_pages_pct', 'innodb_max_dirty_pages_pct_lwm']);
  for (const name of Object.keys(share)) await set(admin, name, 0);
  await waitFor(async () => (await dirtyPages(admin)) <= written.dirtyPagesMax, {
    what: 'the copies to be on disk',
    timeoutMs: written.withinMs,
    everyMs: 500,
  });
  for (const [name, value] of Object.entries(share).reverse()) await set(admin, name, value);
}

async function valuesOf(admin: Database, names: readonly string[]): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const name of names) {
    const [[{ value }]] = (await admin.raw(`SELECT @@GLOBAL.${name} AS value`)) as unknown as [
      [{ value: string | number }],
    ];
    values[name] = Number(value);
  }
  return values;
}

async function set(admin: Database, name: string, value: number): Promise<void> {
  await admin.raw(`SET GLOBAL ${name} = ${value}`);
}

async function dirtyPages(admin: Database): Promise<number> {
  const [[row]] = (await admin.raw(
    "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'",
  )) as unknown as [[{ Value: string }]];
  return Number(row.Value);
}
