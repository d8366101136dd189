/** A database server with fast but unsafe settings: for rows that can be created again, and never for a payment. */
import { waitFor } from '../../sandbox/services/wait-for';
import type { Database } from '../../../src/store/database';

/** Fewer rows need no other settings. */
const manyPayments = 100_000;
const megabyte = 1_048_576;
/** Memory for the indexes of the largest table, and commits without waiting for the disk. */
const settings = { innodb_buffer_pool_size: 2_048 * megabyte, innodb_flush_log_at_trx_commit: 0 };
const smallestPool = 16 * megabyte;
/** Unwritten pages would be written during the measurement. */
const written = { dirtyPagesMax: 200, withinMs: 300_000 };

/** Runs `work`, then restores the server's settings, and waits until all is written. */
export async function hurried(admin: Database, payments: number, work: () => Promise<void>): Promise<void> {
  if (payments < manyPayments) return work();
  const before = await valuesOf(admin, Object.keys(settings));
  try {
    for (const [name, value] of Object.entries(settings)) await set(admin, name, value);
    await work();
  } finally {
    for (const [name, value] of Object.entries(before)) await set(admin, name, value);
  }
  await untilWritten(admin);
}

/** Empties the server's memory of recent pages, as for a job a night later. */
export async function forgotten(admin: Database): Promise<void> {
  await untilWritten(admin);
  const pool = 'innodb_buffer_pool_size';
  const { [pool]: size = 0 } = await valuesOf(admin, [pool]);
  for (const bytes of [smallestPool, size]) {
    await set(admin, pool, bytes);
    // The server changes it in the background, and may round it.
    await waitFor(
      async () => (await poolBytes(admin)) <= 1.1 * ((await valuesOf(admin, [pool]))[pool] ?? 0),
      {
        what: 'the server to change the size of its memory',
        timeoutMs: written.withinMs,
      },
    );
  }
}

async function untilWritten(admin: Database): Promise<void> {
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

const dirtyPages = (admin: Database) => statusOf(admin, 'Innodb_buffer_pool_pages_dirty');

const poolBytes = async (admin: Database) =>
  (await statusOf(admin, 'Innodb_buffer_pool_pages_total')) * (await statusOf(admin, 'Innodb_page_size'));

async function statusOf(admin: Database, name: string): Promise<number> {
  const [[row]] = (await admin.raw('SHOW GLOBAL STATUS LIKE ?', [name])) as unknown as [[{ Value: string }]];
  return Number(row.Value);
}
