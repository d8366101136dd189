/** `.malipo/`: everything that the sandbox of this clone keeps. Deleting it loses nothing but the sandbox. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { keptSandboxFolder } from '../../src/cli/kept-sandbox';

export interface SandboxFolder {
  path: string;
  /** Holds the process id of the start that runs here. */
  lock: string;
  /** What scripts need to talk to the sandbox. */
  description: string;
  credentials: string;
  simulator: string;
  temporal: string;
  mysql: string;
  log(name: string): string;
}

export function sandboxFolder(root = process.cwd()): SandboxFolder {
  return folderAt(keptSandboxFolder(root));
}

/** In it, everything of `npm run cluster`: a sandbox of its own. */
export function clusterFolder(root = process.cwd()): SandboxFolder {
  return folderAt(keptSandboxFolder(root, 'cluster'));
}

function folderAt(path: string): SandboxFolder {
  return {
    path,
    lock: join(path, 'start.lock'),
    description: join(path, 'sandbox.json'),
    credentials: join(path, 'credentials.json'),
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

/** Everything but the lock, which is ours by now, and the cluster, which may be running. */
export async function emptyFolder(folder: SandboxFolder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    const path = join(folder.path, name);
    if (path !== folder.lock && name !== basename(clusterFolder().path))
      await rm(path, { recursive: true, force: true });
  }
}

/** Appears whole or not at all, so that a script never reads half of it, and only this user can read it. */
export async function writeSecretJson(path: string, content: unknown): Promise<void> {
  const unfinished = `${path}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, path);
}
