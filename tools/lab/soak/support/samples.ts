/** Values that a long run might increase, sampled at intervals. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { percentile } from '../../../bench/measures/statistics';
import type { Shopped } from '../../chaos/support/shoppers';
import { processes, type World } from '../../chaos/support/world';

export interface Sample {
  /** Since the beginning, in milliseconds. */
  atMs: number;
  /** By name, with the unit in it. */
  values: Record<string, number>;
  /** The processes that ran then. */
  pids: Record<string, number>;
}

const kibPerMib = 1_024;
const bytesPerMib = 1_024 ** 2;

async function ofProcess(pid: number): Promise<{ memory: number; handles: number }> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN);
  return { memory: kib / kibPerMib, handles: (await readdir(`/proc/${String(pid)}/fd`)).length };
}

async function ofDatabase({ stack: { db } }: World): Promise<Record<string, number>> {
  await db.raw('SET SESSION information_schema_stats_expiry = 0').catch(() => undefined);
  const [rows] = (await db.raw(
    `SELECT table_name AS name, table_rows AS n, data_length + index_length AS bytes
     FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'`,
  )) as unknown as [{ name: string; n: number | string | null; bytes: number | string }[]];
  const tables = rows.map(({ name, n }) => [`rows of ${name}`, Number(n)] as const);
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0);
  return { 'database, MiB': bytes / bytesPerMib, ...Object.fromEntries(tables) };
}

/** The pages of the database in the buffer pool, in MiB: it fills up to its size as the database grows. */
async function inBufferPool({ stack: { db } }: World): Promise<number> {
  const [[held]] = (await db.raw("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_bytes_data'")) as unknown as [
    [{ Value: string }],
  ];
  return Number(held.Value) / bytesPerMib;
}

/** The size of all files there, in MiB; files that disappear during the count are left out. */
async function onDisk(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(folder, file)).then(
        (found) => (found.isFile() ? found.blocks * 512 : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / bytesPerMib;
}

/** The time from creation to end of payments that have ended since, by the database's clock. */
async function timesToEnd({ stack: { db } }: World, sinceMs: number): Promise<number[]> {
  const [rows] = (await db.raw(
    `SELECT TIMESTAMPDIFF(MICROSECOND, accepted_at, finished_at) / 1000 AS ms FROM payments
     WHERE finished_at > UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND AND accepted_at IS NOT NULL LIMIT 5000`,
    [Math.round(sinceMs * 1_000)],
  )) as unknown as [{ ms: number | string }[]];
  return rows.map(({ ms }) => Number(ms));
}

function percentilesOf(what: string, values: readonly number[]): Record<string, number> {
  if (values.length === 0) return {};
  return Object.fromEntries(
    [0.5, 0.99].map((share) => [`${what} p${String(share * 100)}, ms`, percentile(values, share)]),
  );
}

/** @param since the requests since the last sample, and its age. */
export async function sample(
  world: World,
  atMs: number,
  since: { shopped: readonly Shopped[]; ms: number },
): Promise<Sample> {
  const values: Record<string, number> = {};
  const pids: Record<string, number> = {};
  for (const [name, server] of Object.entries(world.servers)) {
    pids[name] = server.pid();
    values[`memory of ${name}, MiB`] = (await ofProcess(server.pid())).memory;
    values[`disk of ${name}, MiB`] = await onDisk(server.folder);
  }
  for (const name of processes) {
    const { pid } = world.stack.process(name);
    const { memory, handles } = await ofProcess(pid);
    pids[name] = pid;
    values[`memory of the ${name}, MiB`] = memory;
    values[`handles of the ${name}`] = handles;
  }
  values['memory of MySQL beside its buffer pool, MiB'] =
    (values['memory of MySQL, MiB'] ?? Number.NaN) - (await inBufferPool(world));
  Object.assign(values, await ofDatabase(world));
  const tookMs = since.shopped.flatMap(({ tookMs: took }) => took ?? []);
  values['accepted in the interval'] = tookMs.length;
  Object.assign(values, percentilesOf('create', tookMs));
  Object.assign(values, percentilesOf('from create to the end', await timesToEnd(world, since.ms)));
  return { atMs, values, pids };
}

/** The growth per hour, by least squares. */
export function slopePerHour(points: readonly { atMs: number; value: number }[]): number {
  const hours = points.map(({ atMs }) => atMs / 3_600_000);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const [x, y] = [mean(hours), mean(points.map(({ value }) => value))];
  const spread = hours.reduce((sum, hour) => sum + (hour - x) ** 2, 0);
  if (spread === 0) return 0;
  return points.reduce((sum, { value }, n) => sum + ((hours[n] ?? 0) - x) * (value - y), 0) / spread;
}
