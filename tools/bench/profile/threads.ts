/** Processor time of a process by its threads, as the kernel accounts for it. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { cpuMsOf } from '../measures/cpu';
import { sum } from '../measures/statistics';

export interface ThreadsMs {
  /** Of the whole process, of threads that have ended, too. */
  total: number;
  /** Those that lived to the end. */
  threads: { name: string; isMain: boolean; ms: number }[];
}

/** @returns a function that tells what was used since. @throws where the system does not tell. */
export async function threadsMeter(pid: number): Promise<() => Promise<ThreadsMs>> {
  if (!existsSync('/proc/self/task')) throw new Error('only Linux tells what each thread takes');
  const before = await used(pid);
  return async () => {
    const after = await used(pid);
    const threads = [...after.threads].map(([tid, { name, ms }]) => ({
      name,
      isMain: tid === String(pid),
      ms: ms - (before.threads.get(tid)?.ms ?? 0),
    }));
    return { total: after.total - before.total, threads };
  };
}

interface Used {
  total: number;
  threads: Map<string, { name: string; ms: number }>;
}

async function used(pid: number): Promise<Used> {
  const folder = `/proc/${pid}`;
  const threads = new Map<string, { name: string; ms: number }>();
  for (const tid of await readdir(`${folder}/task`)) {
    const stat = await readFile(`${folder}/task/${tid}/stat`, 'utf8').catch(() => undefined);
    if (stat !== undefined) threads.set(tid, { name: nameIn(stat), ms: cpuMsOf(stat) });
  }
  return { total: cpuMsOf(await readFile(`${folder}/stat`, 'utf8')), threads };
}

/** The 2nd field, in brackets; it may hold brackets itself. */
function nameIn(stat: string): string {
  return stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
}

/** The thread in which V8 writes down what it sees: there would be none without us. */
const recorder = 'v8:ProfEvntProc';

export interface ByRole {
  /** Without what it takes to record. */
  total: number;
  /** Those that run JavaScript. */
  main: number;
  workflows: number;
  /** All others, by what they are. */
  native: Record<string, number>;
}

/**
 * Node 20 gives all its threads its own name. That of the workflows is then the busiest of them beside the main one; the
 * others help with garbage, files and cryptography.
 */
export function byRole({ total, threads }: ThreadsMs): ByRole {
  const main = threads.find(({ isMain }) => isMain);
  const [workflows, ...helpers] = threads
    .filter(({ name, isMain }) => !isMain && name === main?.name)
    .sort((a, b) => b.ms - a.ms);
  const native: Record<string, number> = {
    "Node's helpers": sum(helpers.map(({ ms }) => ms)),
    'threads that came and went': Math.max(0, total - sum(threads.map(({ ms }) => ms))),
  };
  for (const { name, ms } of threads) {
    if (name !== main?.name && name !== recorder) native[name] = (native[name] ?? 0) + ms;
  }
  const recording = sum(threads.filter(({ name }) => name === recorder).map(({ ms }) => ms));
  return { total: total - recording, main: main?.ms ?? 0, workflows: workflows?.ms ?? 0, native };
}
