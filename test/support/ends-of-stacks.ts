/**
 * The processes of shared stacks outlive the test file that started them, and end with the run, however it ends: their
 * process ids are in the run's folder, where its main process finds them.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How long an orderly shutdown may take. */
const graceMs = 10_000;

/** The folder of shared stacks; undefined when nothing may outlive its file. */
export const stacksFolder = (): string | undefined => process.env.MALIPO_TEST_STACKS;

const pidsFolder = () => join(stacksFolder() ?? '', 'pids');

/** Each process leads a process group. */
export function notePids(pids: readonly number[]): void {
  mkdirSync(pidsFolder(), { recursive: true });
  for (const pid of pids) writeFileSync(join(pidsFolder(), String(pid)), '');
}

export async function endProcesses(pids: readonly number[]): Promise<void> {
  const until = performance.now() + graceMs;
  signal(pids, 'SIGTERM');
  while (signal(pids, 0) && performance.now() < until) await delay(20);
  signal(pids, 'SIGKILL');
  for (const pid of pids) rmSync(join(pidsFolder(), String(pid)), { force: true });
}

export async function endSharedStacks(): Promise<void> {
  await endProcesses(notedPids());
}

/** For a run that stops at once. */
export function killSharedStacks(): void {
  signal(notedPids(), 'SIGKILL');
}

function notedPids(): number[] {
  if (stacksFolder() === undefined) return [];
  try {
    return readdirSync(pidsFolder()).map(Number);
  } catch {
    // No file of the run has used a shared stack.
    return [];
  }
}

/** @returns whether any of them is still running. */
function signal(pids: readonly number[], name: NodeJS.Signals | 0): boolean {
  const reached = pids.filter((pid) => {
    try {
      return process.kill(-pid, name);
    } catch {
      return false;
    }
  });
  return reached.length > 0;
}
