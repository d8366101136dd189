/** What a build is called, from what is known where it is made. */
import type { Build } from './build';

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
