/** Releases of Node from npm, once per user: the images' own, for CI, and those of `npm run test:nodes`. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOnce } from './make-once';
import { isExecutable } from './on-path';
import { runCommand } from './run-command';
import { cachedBinaries } from './user-cache';

/**
 * The line of our images, with long-term support until April 2028 (https://github.com/nodejs/release#release-schedule). CI
 * runs everything on it.
 */
export const imageNode = '24.22.3';

/** The unit tests also run on the last release of the oldest line that we accept, and on the line between. */
export const furtherNodes = ['20.20.2', '22.23.5'];

/**
 * npm has the executable as a package for each system, of which the package `node` installs one. npm verifies its hash.
 * @returns the path of the executable, in a folder of its own, which can stand first in PATH.
 * @throws an Error with the end of npm's output.
 */
export async function fetchNode(version: string): Promise<string> {
  const target = join(cachedBinaries, `node-${version}`, 'node');
  if (isExecutable(target)) return target;
  return makeOnce(target, `fetching Node ${version} from npm`, async (workshop) => {
    const name = `node-${process.platform}-${process.arch}@${version}`;
    await runCommand('npm', ['pack', '--silent', name], { cwd: workshop });
    const archive = (await readdir(workshop)).find((file) => file.endsWith('.tgz')) ?? '';
    const path = join('package', 'bin', 'node');
    await runCommand('tar', ['-xzf', archive, '--no-same-owner', path], { cwd: workshop });
    return join(workshop, path);
  });
}
