/** Processor time by process, as the kernel counts it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { rounded, sum } from './statistics';

export type CpuMs = Record<string, number>;

/** The unit of /proc/<pid>/stat: Linux reports 100 ticks per second to programs, whatever the kernel counts in. */
const tickMs = 10;

/**
 * @param forking processes that work through children, whose time counts as theirs
 * @returns a function that returns the milliseconds used since; undefined if the system does not report it
 */
export async function cpuMeter(
  pids: Readonly<Record<string, number>>,
  forking: readonly string[] = [],
): Promise<(() => Promise<CpuMs>) | undefined> {
  if (!existsSync('/proc/self/stat')) return undefined;
  const before = await used(pids, forking);
  return async () => {
    const after = await used(pids, forking);
    return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));
  };
}

async function used(pids: Readonly<Record<string, number>>, forking: readonly string[]): Promise<CpuMs> {
  const entries = Object.entries(pids).map(
    async ([name, pid]) =>
      [name, forking.includes(name) ? await cpuMsOfTree(pid) : cpuMsOf(await statOf(pid))] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** User and system time, the 14th and 15th field; the 2nd is a name that may contain spaces and brackets. */
export function cpuMsOf(stat: string): number {
  return ticksOf(stat, 11) * tickMs;
}

/** Of ended children: the 16th and 17th field. */
export function endedChildrensCpuMsOf(stat: string): number {
  return ticksOf(stat, 13) * tickMs;
}

/** User and system time are adjacent fields. */
function ticksOf(stat: string, first: number): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[first]) + Number(fields[first + 1]);
}

function statOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/stat`, 'utf8');
}

/** A process, its children, and its ended children, whose time the kernel adds to their parent's. */
async function cpuMsOfTree(pid: number): Promise<number> {
  const own = await statOf(pid);
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  const stats = await Promise.all(children.map((child) => statOf(Number(child)).catch(() => undefined)));
  return sum([
    cpuMsOf(own),
    endedChildrensCpuMsOf(own),
    ...stats.map((stat) => (stat === undefined ? 0 : cpuMsOf(stat))),
  ]);
}

/** Per payment, with the total, which sizes a machine. */
export function perPayment(parts: readonly CpuMs[], payments: number): CpuMs {
  const names = [...new Set(parts.flatMap((part) => Object.keys(part)))];
  const each = names.map((name) => [name, sum(parts.map((part) => part[name] ?? 0)) / payments] as const);
  const total = sum(each.map(([, ms]) => ms));
  return Object.fromEntries([...each, ['total', total] as const].map(([name, ms]) => [name, rounded(ms)]));
}
