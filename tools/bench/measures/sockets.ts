/** The ports of a process, as the kernel reports them. */
import { readFile, readdir, readlink } from 'node:fs/promises';

/** @returns the local TCP ports of the process; an empty set if the system does not report them. */
async function portsOf(pid: number): Promise<Set<number>> {
  try {
    const folder = `/proc/${pid}/fd`;
    const names = await readdir(folder);
    const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
    const own = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
    const sockets = portsByInode(await readFile('/proc/net/tcp', 'utf8'));
    return new Set([...sockets].filter(([inode]) => own.has(inode)).map(([, port]) => port));
  } catch {
    return new Set();
  }
}

/** The owner of each local port, by the names of processes. */
export async function ownersOfPorts(pids: Readonly<Record<string, number>>): Promise<Map<number, string>> {
  const owners = new Map<number, string>();
  for (const [name, pid] of Object.entries(pids)) {
    for (const port of await portsOf(pid)) owners.set(port, name);
  }
  return owners;
}

/** The local port of each socket in the text of /proc/net/tcp, by inode. */
export function portsByInode(text: string): Map<string, number> {
  const lines = text.trim().split('\n').slice(1);
  return new Map(
    lines.map((line) => {
      const fields = line.trim().split(/\s+/);
      const port = Number.parseInt(fields[1]?.split(':').at(-1) ?? '', 16);
      return [fields[9] ?? '', port];
    }),
  );
}
