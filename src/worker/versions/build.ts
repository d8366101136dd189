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

// What a build is called, from what is known where it is made.

/** The same at the build as where it runs, so that one that was named as it was built need not be named again. */
export const buildIdVariable = 'MALIPO_BUILD_ID';
/** Temporal writes it into longer names, and into queries. */
export const buildIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export interface Commit {
  commit: string;
  /** Whether what it is built from is not as it was committed. */
  isChanged: boolean;
}

/**
 * @param given the name that whoever builds it says, such as that of a release.
 * @param digest of what came out.
 * @throws an Error where the name is no word.
 */
export function nameBuild({
  given,
  found,
  digest,
}: {
  given: string | undefined;
  found: Commit | undefined;
  digest: () => string;
}): Build {
  if (given) {
    if (!buildIdPattern.test(given))
      throw new Error(`${buildIdVariable} must be a word such as v1.2.3, without spaces or colons`);
    return { id: given, from: 'name' };
  }
  if (found && !found.isChanged) return { id: found.commit, from: 'commit' };
  return { id: found ? `${found.commit}-${digest()}` : `code-${digest()}`, from: 'code' };
}
