/**
 * Which ports the starts of this user have chosen. A server takes seconds to bind its port, and one that died needs it
 * again: whoever looked at the port alone in the meantime would find it free. A claim lasts as long as its process.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, livingProcess } from './process-identity';
import { claimedPorts as folder } from './user-cache';

const held = new Set<string>();

/**
 * Claims a port until this process ends.
 * @returns the process that has claimed it already, or undefined: then it is ours.
 */
export function claimPort(port: number): number | undefined {
  const prefix = `${String(port)} `;
  const mine = `${prefix}${identityOf(process.pid)}`;
  if (held.has(mine)) return process.pid;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Written before the others are read: of two that claim at once, at least one sees the other.
    writeFileSync(join(folder, mine), '');
  } catch {
    // Without a folder of our own there is nobody to agree with; what is bound is seen all the same.
    return undefined;
  }
  if (held.size === 0) process.once('exit', dropClaims);
  held.add(mine);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || name === mine) continue;
    const holder = livingProcess(name.slice(prefix.length));
    if (holder !== undefined) {
      drop(mine);
      return holder;
    }
    rmSync(join(folder, name), { force: true });
  }
  return undefined;
}

/** For a port that turned out to be somebody's who claims nothing. */
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
