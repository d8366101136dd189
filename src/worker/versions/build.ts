/** What the build leaves beside its programs: the workflows' bundle, its own name, and the histories it was tried on. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const bundleFile = 'workflow-bundle.js';
export const buildFile = 'build.json';
export const historiesFolder = 'histories';

/** Names a build, so that two of them are told apart wherever they run beside each other. */
export interface Build {
  id: string;
  /** Whether the id is the name it was given when it was built, that of its commit, or of the code that came out. */
  from: 'name' | 'commit' | 'code';
}

/** Above this file, whether it runs as tsc wrote it or within a bundle; undefined where nothing was built. */
function findFolder(): string | undefined {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, bundleFile))) return folder;
  }
  return undefined;
}

/** @returns the path of what the build left under this name, or undefined where it left nothing. */
export function findBuilt(name: string): string | undefined {
  const folder = findFolder();
  const path = folder && join(folder, name);
  return path && existsSync(path) ? path : undefined;
}

/** @returns undefined where nothing was built. */
export function findBuild(): Build | undefined {
  const path = findBuilt(buildFile);
  return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Build);
}
