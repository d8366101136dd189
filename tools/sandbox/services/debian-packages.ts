import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { oneAtATime } from './one-at-a-time';
import { findExecutable } from './on-path';
import { step } from './progress';
import { runCommand, tryCommand } from './run-command';
import { cachedBinaries } from './user-cache';

/** Whether system packages can be installed without asking: as root on Debian, Ubuntu and their kin. */
export function canInstallPackages(): boolean {
  return (
    process.getuid?.() === 0 && existsSync('/etc/debian_version') && findExecutable(['apt-get']) !== undefined
  );
}

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
/** A fresh machine may be bringing itself up to date; in seconds. */
const patience = 'DPkg::Lock::Timeout=300';

/** Another clone's turn is waited for: apt-get sends away who comes while it is at work. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  await mkdir(cachedBinaries, { recursive: true });
  return oneAtATime(join(cachedBinaries, 'apt-get.lock'), work);
}

export async function installPackages(names: string[]): Promise<void> {
  await step(`installing ${names.join(' ')} with apt-get`, () =>
    inTurn(async () => {
      await runCommand('apt-get', ['update', '-q'], { env });
      const options = ['-y', '-q', '--no-install-recommends', '-o', patience];
      await runCommand('apt-get', ['install', ...options, ...names], { env });
    }),
  );
}

/** @returns whether this machine's lists of packages, as they are, have it. */
export async function isInPackageLists(name: string): Promise<boolean> {
  return (await tryCommand('apt-cache', ['show', name], { env })).code === 0;
}

/**
 * Takes programs out of a package and puts them where ours are cached: nothing is installed, so that a package which
 * starts a service of the system's, or needs a dozen others for its pages, leaves no trace of either.
 * @param paths of the programs, within the package.
 */
export async function takeFromPackage(name: string, paths: readonly string[]): Promise<void> {
  await mkdir(cachedBinaries, { recursive: true });
  // Beside their place, and moved there whole: another clone that starts now sees all of a program or nothing.
  const workshop = await mkdtemp(join(cachedBinaries, 'unpacking-'));
  try {
    await step(`fetching ${name} with apt-get`, async () => {
      const download = () => runCommand('apt-get', ['download', '-q', name], { env, cwd: workshop });
      // The lists may be missing, or name a release that is there no more.
      await download().catch(async () => {
        await inTurn(() => runCommand('apt-get', ['update', '-q'], { env }));
        await download();
      });
      const file = (await readdir(workshop)).find((one) => one.endsWith('.deb')) ?? '';
      await runCommand('dpkg-deb', ['--extract', join(workshop, file), workshop]);
    });
    for (const path of paths) await rename(join(workshop, path), join(cachedBinaries, basename(path)));
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}
