/**
 * The files that the build writes beside its programs: the workflow bundle, the build's name, and the histories that it
 * replayed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const bundleFile = 'workflow-bundle.js';
export const buildFile = 'build.json';
export const historiesFolder = 'histories';

/** Identifies a build, so that two builds can run at the same time. */
export interface Build {
  id: string;
  /** The origin of the id: a name given at build time, the commit, or a digest of the code. */
  from: 'name' | 'commit' | 'code';
}

/** Searches upwards from this file, compiled or bundled; undefined if nothing was built. */
function findFolder(): string | undefined {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, bundleFile))) return folder;
  }
  return undefined;
}

/** @returns the path of the build's file with this name; undefined if there is none. */
export function findBuilt(name: string): string | undefined {
  const folder = findFolder();
  const path = folder && join(folder, name);
  return path && existsSync(path) ? path : undefined;
}

/** @returns undefined if nothing was built. */
export function findBuild(): Build | undefined {
  const path = findBuilt(buildFile);
  return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Build);
}

// The name of a build.

/** The same variable at build time and at run time: a build with a name needs no second setting. */
export const buildIdVariable = 'MALIPO_BUILD_ID';
/** Temporal uses it within longer names and in queries. */
export const buildIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export interface Commit {
  commit: string;
  /** Whether the sources differ from the commit. */
  isChanged: boolean;
}

/**
 * @param given the name that the builder sets, such as a release.
 * @param digest of the output.
 * @throws an Error if the name is not a word.
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
