/** Processor time by process, as the kernel accounts for it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { rounded, sum } from './statistics';

export type CpuMs = Record<string, number>;

/** The unit of /proc/<pid>/stat: Linux shows 100 ticks a second to programs, whatever the kernel counts in. */
const tickMs = 10;

/** @returns a function that tells the milliseconds used since; undefined where the system does not tell. */
export async function cpuMeter(
  pids: Readonly<Record<string, number>>,
): Promise<(() => Promise<CpuMs>) | undefined> {
  if (!existsSync('/proc/self/stat')) return undefined;
  const before = await used(pids);
  return async () => {
    const after = await used(pids);
    return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));
  };
}

async function used(pids: Readonly<Record<string, number>>): Promise<CpuMs> {
  const entries = Object.entries(pids).map(
    async ([name, pid]) => [name, cpuMsOf(await readFile(`/proc/${pid}/stat`, 'utf8'))] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** User and system time, the 14th and 15th field; the 2nd is a name that may hold spaces and brackets. */
export function cpuMsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Per payment, with the total, which is what a machine is sized by. */
export function perPayment(parts: readonly CpuMs[], payments: number): CpuMs {
  const names = [...new Set(parts.flatMap((part) => Object.keys(part)))];
  const each = names.map((name) => [name, sum(parts.map((part) => part[name] ?? 0)) / payments] as const);
  const total = sum(each.map(([, ms]) => ms));
  return Object.fromEntries([...each, ['total', total] as const].map(([name, ms]) => [name, rounded(ms)]));
}
