/** What a long run might wear out, looked at every now and then. */
import { readdir, readFile } from 'node:fs/promises';
import { percentile } from '../../../bench/measures/statistics';
import type { Shopped } from '../../chaos/support/shoppers';
import { processes, type World } from '../../chaos/support/world';

export interface Sample {
  /** Since the beginning, in milliseconds. */
  atMs: number;
  /** By what is measured, its unit in the name. */
  values: Record<string, number>;
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

/** @param shopped since the last sample. */
export async function sample(world: World, atMs: number, shopped: readonly Shopped[]): Promise<Sample> {
  const values: Record<string, number> = {};
  for (const name of processes) {
    const { memory, handles } = await ofProcess(world.stack.process(name).pid);
    values[`memory of the ${name}, MiB`] = memory;
    values[`handles of the ${name}`] = handles;
  }
  Object.assign(values, await ofDatabase(world));
  const tookMs = shopped.flatMap(({ tookMs: took }) => took ?? []);
  values['accepted in the interval'] = tookMs.length;
  if (tookMs.length > 0)
    for (const share of [0.5, 0.99])
      values[`acceptance p${String(share * 100)}, ms`] = percentile(tookMs, share);
  return { atMs, values };
}

/** How much of it there is more for each hour, by least squares. */
export function slopePerHour(points: readonly { atMs: number; value: number }[]): number {
  const hours = points.map(({ atMs }) => atMs / 3_600_000);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const [x, y] = [mean(hours), mean(points.map(({ value }) => value))];
  const spread = hours.reduce((sum, hour) => sum + (hour - x) ** 2, 0);
  if (spread === 0) return 0;
  return points.reduce((sum, { value }, n) => sum + ((hours[n] ?? 0) - x) * (value - y), 0) / spread;
}
