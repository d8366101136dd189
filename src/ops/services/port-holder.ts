/** Names the process that listens on a port, as far as this user may see it. */
import { readFile, readdir, readlink } from 'node:fs/promises';
import { findExecutable } from './on-path';
import { tryCommand } from './run-command';

export interface PortHolder {
  pid: number;
  command: string;
}

export async function findPortHolder(port: number): Promise<PortHolder | undefined> {
  return process.platform === 'linux' ? findInProc(port) : findWithLsof(port);
}

const listening = '0A';

async function findInProc(port: number): Promise<PortHolder | undefined> {
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1);
    for (const line of lines) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const localPort = Number.parseInt(local.split(':')[1] ?? '', 16);
      if (state === listening && localPort === port) sockets.add(`socket:[${inode ?? ''}]`);
    }
  }
  if (sockets.size === 0) return undefined;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    // Another user's descriptors are unreadable: such a holder stays unnamed.
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
      if (!sockets.has(target)) continue;
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), command: shorten(command.replaceAll('\0', ' ').trim()) };
    }
  }
  return undefined;
}

async function findWithLsof(port: number): Promise<PortHolder | undefined> {
  const lsof = findExecutable(['lsof'], ['/usr/sbin']);
  if (lsof === undefined) return undefined;
  const { output } = await tryCommand(lsof, ['-nP', `-iTCP:${String(port)}`, '-sTCP:LISTEN', '-Fpc']);
  const pid = /^p(\d+)$/m.exec(output)?.[1];
  if (pid === undefined) return undefined;
  return { pid: Number(pid), command: /^c(.+)$/m.exec(output)?.[1] ?? 'unknown' };
}

function shorten(command: string): string {
  return command.length > 100 ? `${command.slice(0, 100)}…` : command;
}
