/** `.malipo/`: all files of this clone's sandbox. Deleting it deletes only the sandbox. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { keptSandboxFolder } from '../../src/cli/kept-sandbox';

export interface SandboxFolder {
  path: string;
  /** Contains the process id of the running start. */
  lock: string;
  /** What scripts need to use the sandbox. */
  description: string;
  credentials: string;
  /** The first shop's keys, for a shell. */
  env: string;
  /** The payments of the last demo, with their workflows. */
  demo: string;
  simulator: string;
  temporal: string;
  mysql: string;
  log(name: string): string;
}

export function sandboxFolder(root = process.cwd()): SandboxFolder {
  return folderAt(keptSandboxFolder(root));
}

/** Contains all files of `npm run cluster`, which is a separate sandbox. */
export function clusterFolder(root = process.cwd()): SandboxFolder {
  return folderAt(keptSandboxFolder(root, 'cluster'));
}

function folderAt(path: string): SandboxFolder {
  return {
    path,
    lock: join(path, 'start.lock'),
    description: join(path, 'sandbox.json'),
    credentials: join(path, 'credentials.json'),
    env: join(path, 'env'),
    demo: join(path, 'demo.txt'),
    simulator: join(path, 'simulator'),
    temporal: join(path, 'temporal'),
    mysql: join(path, 'mysql'),
    log: (name) => join(path, 'logs', `${name}.log`),
  };
}

export async function makeFolders(folder: SandboxFolder): Promise<void> {
  for (const path of [folder.path, folder.simulator, folder.temporal]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  }
}

/** Everything except the lock, which is ours by now, and the cluster, which may be running. */
export async function emptyFolder(folder: SandboxFolder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    const path = join(folder.path, name);
    if (path !== folder.lock && name !== basename(clusterFolder().path))
      await rm(path, { recursive: true, force: true });
  }
}

/** Written atomically, so that a script never reads half of it, and readable only by this user. */
export function writeSecretJson(path: string, content: unknown): Promise<void> {
  return writeSecretText(path, `${JSON.stringify(content, null, 2)}\n`);
}

export async function writeSecretText(path: string, text: string): Promise<void> {
  const unfinished = `${path}.unfinished`;
  await writeFile(unfinished, text, { mode: 0o600 });
  await rename(unfinished, path);
}
