/** Processor time of a process by thread, as the kernel counts it. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { cpuMsOf } from '../measures/cpu';
import { sum } from '../measures/statistics';

export interface ThreadsMs {
  /** Of the whole process, including ended threads. */
  total: number;
  /** Threads that lived to the end. */
  threads: { name: string; isMain: boolean; ms: number }[];
}

/** @returns a function that returns the time used since. @throws if the system does not report it. */
export async function threadsMeter(pid: number): Promise<() => Promise<ThreadsMs>> {
  if (!existsSync('/proc/self/task')) throw new Error('only Linux reports the time of each thread');
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

/** The 2nd field, in brackets; it may contain brackets itself. */
function nameIn(stat: string): string {
  return stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
}

/** V8's recording thread, which exists only because of the profile. */
const recorder = 'v8:ProfEvntProc';

export interface ByRole {
  /** Without the recording. */
  total: number;
  /** Threads that run JavaScript. */
  main: number;
  workflows: number;
  /** All others, by their role. */
  native: Record<string, number>;
}

/**
 * Node 24 names its threads that run JavaScript; Node 20 and 22 give all threads the name of the main one. The workflow
 * thread is the busiest of them after the main one; the others do garbage collection, files and cryptography.
 */
export function byRole({ total, threads }: ThreadsMs): ByRole {
  const main = threads.find(({ isMain }) => isMain);
  const ofNode = new Set([main?.name, 'WorkerThread']);
  const [workflows, ...helpers] = threads
    .filter(({ name, isMain }) => !isMain && ofNode.has(name))
    .sort((a, b) => b.ms - a.ms);
  const native: Record<string, number> = {
    "Node's helpers": sum(helpers.map(({ ms }) => ms)),
    'short-lived threads': Math.max(0, total - sum(threads.map(({ ms }) => ms))),
  };
  for (const { name, ms } of threads) {
    if (!ofNode.has(name) && name !== recorder) native[name] = (native[name] ?? 0) + ms;
  }
  const recording = sum(threads.filter(({ name }) => name === recorder).map(({ ms }) => ms));
  return { total: total - recording, main: main?.ms ?? 0, workflows: workflows?.ms ?? 0, native };
}
