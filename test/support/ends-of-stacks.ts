/**
 * The processes of shared stacks outlive the file of tests that started them, and end with the run, however that ends:
 * their numbers lie in its folder, where its main process finds them.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How long an orderly end may take. */
const graceMs = 10_000;

/** Where shared stacks have their folders; undefined where nothing may outlive its file. */
export const stacksFolder = (): string | undefined => process.env.MALIPO_TEST_STACKS;

const pidsFolder = () => join(stacksFolder() ?? '', 'pids');

/** Each leads a group of its own. */
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

/** For a run that ends at once. */
export function killSharedStacks(): void {
  signal(notedPids(), 'SIGKILL');
}

function notedPids(): number[] {
  if (stacksFolder() === undefined) return [];
  try {
    return readdirSync(pidsFolder()).map(Number);
  } catch {
    // No file of the run has shared a stack.
    return [];
  }
}

/** @returns whether any of them is still there. */
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
