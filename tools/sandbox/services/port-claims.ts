/**
 * The ports that this user's starts have chosen. A server takes seconds to bind its port, and a restarted one needs it
 * again: meanwhile the port looks free. A claim lasts as long as its process.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, livingProcess } from './process-identity';
import { claimedPorts as folder } from './user-cache';

const held = new Set<string>();
let isSwept = false;

/**
 * Claims a port until this process ends.
 * @returns the process that has claimed it, or undefined if it is ours now.
 */
export function claimPort(port: number): number | undefined {
  const prefix = `${String(port)} `;
  const mine = `${prefix}${identityOf(process.pid)}`;
  if (held.has(mine)) return process.pid;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Written before the others are read: of two concurrent claims, at least one sees the other.
    writeFileSync(join(folder, mine), '');
  } catch {
    // Without our own folder there is no claim; bound ports are still noticed.
    return undefined;
  }
  const isFirst = !isSwept;
  if (isFirst) process.once('exit', dropClaims);
  isSwept = true;
  held.add(mine);
  for (const name of readdirSync(folder)) {
    const isSame = name.startsWith(prefix);
    // The first claim of a process removes what killed processes left for all ports.
    if ((!isSame && !isFirst) || name === mine) continue;
    const holder = livingProcess(name.slice(name.indexOf(' ') + 1));
    if (holder !== undefined && !isSame) continue;
    if (holder !== undefined) {
      drop(mine);
      return holder;
    }
    rmSync(join(folder, name), { force: true });
  }
  return undefined;
}

/** For a port whose holder has no claim. */
export function dropClaim(port: number): void {
  drop(`${String(port)} ${identityOf(process.pid)}`);
}

function dropClaims(): void {
  for (const name of held) drop(name);
}

function drop(name: string): void {
  held.delete(name);
  rmSync(join(folder, name), { force: true });
}
