/** Finds the process that listens on a port, as far as this user can see it. */
import { readFile, readdir, readlink } from 'node:fs/promises';
import { cutText } from '../../../src/domain/cut-text';
import { findExecutable } from './on-path';
import { tryCommand } from './run-command';

export interface PortHolder {
  pid: number;
  command: string;
}

export async function findPortHolder(port: number): Promise<PortHolder | undefined> {
  return process.platform === 'linux' ? findInProc(port) : findWithLsof(port);
}

/**
 * Whether this process listens on the port: an answer may come from another server. True if the system does not show
 * it.
 */
export async function listensOn(pid: number, port: number): Promise<boolean> {
  if (process.platform !== 'linux') {
    const holder = await findWithLsof(port);
    return holder === undefined || holder.pid === pid;
  }
  const sockets = await listeningSockets(port);
  const own = await socketsOf(String(pid));
  // A hidden process may be another user's, or one that has just ended.
  return own === undefined ? isAlive(pid) : own.some((socket) => sockets.has(socket));
}

async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => undefined);
  // The state follows the name in parentheses: Z and X are ended processes.
  return stat !== undefined && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

const listening = '0A';

async function listeningSockets(port: number): Promise<Set<string>> {
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1);
    for (const line of lines) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const localPort = Number.parseInt(local.split(':')[1] ?? '', 16);
      if (state === listening && localPort === port) sockets.add(`socket:[${inode ?? ''}]`);
    }
  }
  return sockets;
}

/** The targets of a process's descriptors; undefined if they are not readable. */
async function socketsOf(pid: string): Promise<string[] | undefined> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  return (
    descriptors && Promise.all(descriptors.map((one) => readlink(`/proc/${pid}/fd/${one}`).catch(() => '')))
  );
}

async function findInProc(port: number): Promise<PortHolder | undefined> {
  const sockets = await listeningSockets(port);
  if (sockets.size === 0) return undefined;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    // Another user's descriptors are unreadable: then the holder has no name.
    if (!(await socketsOf(pid))?.some((socket) => sockets.has(socket))) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return { pid: Number(pid), command: shorten(command.replaceAll('\0', ' ').trim()) };
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
  return command.length > 100 ? `${cutText(command, 100)}…` : command;
}
