/** One start per folder: two would fight over its ports and its data. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { SandboxFolder } from './sandbox-folder';

/**
 * Takes the lock until this process ends.
 * @throws an Error naming the start that runs here already.
 */
export function lockFolder({ lock, path }: SandboxFolder): void {
  const holder = livingHolder(lock);
  if (holder !== undefined) {
    throw new Error(
      `the sandbox in ${path} is running already (process ${String(holder)}); stop it with Ctrl-C there`,
    );
  }
  rmSync(lock, { force: true });
  try {
    writeFileSync(lock, identityOf(process.pid), { flag: 'wx' });
  } catch {
    throw new Error(`another start in ${path} was a moment quicker`);
  }
  process.once('exit', () => {
    rmSync(lock, { force: true });
  });
}

function livingHolder(lock: string): number | undefined {
  let written: string;
  try {
    written = readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
  const pid = Number.parseInt(written, 10);
  return isAlive(pid) && identityOf(pid) === written ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Process ids are used again; on Linux the moment of its start tells a process from its successor. */
function identityOf(pid: number): string {
  let startedAt = '';
  try {
    // The command in parentheses may hold spaces; what follows it has a fixed order.
    startedAt =
      readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[19] ?? '';
  } catch {
    // Other systems have no /proc; the id alone has to do.
  }
  return `${String(pid)} ${startedAt}\n`;
}
