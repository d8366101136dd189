import { readFileSync } from 'node:fs';

/** Process ids are reused; on Linux the start time tells a process from its successor. */
export function identityOf(pid: number): string {
  let startedAt = '';
  try {
    // The command in parentheses may contain spaces; the fields after it have a fixed order.
    startedAt =
      readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[19] ?? '';
  } catch {
    // Other systems have no /proc; the id alone has to do.
  }
  return `${String(pid)} ${startedAt}`.trim();
}

/** @returns the id of the process that wrote this identity, while it runs. */
export function livingProcess(identity: string): number | undefined {
  const pid = Number.parseInt(identity, 10);
  return isAlive(pid) && identityOf(pid) === identity.trim() ? pid : undefined;
}

/** True also for a process of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
