import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeOnce } from './make-once';
import { oneAtATime } from './one-at-a-time';
import { findExecutable } from './on-path';
import { step } from './progress';
import { runCommand, tryCommand } from './run-command';
import { cachedBinaries, userCache } from './user-cache';

/** On Debian, Ubuntu and derivatives. */
export function canFetchPackages(): boolean {
  return existsSync('/etc/debian_version') && findExecutable(['apt-get']) !== undefined;
}

/** Whether system packages can be installed without a question: as root. */
export function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && canFetchPackages();
}

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
/** A fresh machine may be updating itself; seconds. */
const patience = 'DPkg::Lock::Timeout=300';

/** Waits for another clone: apt-get fails while another one runs. */
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

/** @returns whether this machine's current package lists contain it. */
export async function isInPackageLists(name: string): Promise<boolean> {
  return (await tryCommand('apt-cache', ['show', name], { env })).code === 0;
}

async function downloadPackages(names: readonly string[], cwd: string): Promise<void> {
  const download = () => runCommand('apt-get', ['download', '-q', ...names], { env, cwd });
  // The lists may be missing, or name a version that is gone.
  await download().catch(async () => {
    await inTurn(() => runCommand('apt-get', ['update', '-q'], { env }));
    await download();
  });
}

/**
 * Extracts programs from a package into our cache. Nothing is installed, so a package that starts a system service, or
 * has a dozen dependencies, leaves no trace.
 * @param paths of the programs, within the package.
 */
export async function takeFromPackage(name: string, paths: readonly string[]): Promise<void> {
  await mkdir(cachedBinaries, { recursive: true });
  // Extracted beside their place, and moved atomically: another clone sees a complete program or none.
  const workshop = await mkdtemp(join(cachedBinaries, 'unpacking-'));
  try {
    await step(`fetching ${name} with apt-get`, async () => {
      await downloadPackages([name], workshop);
      const file = (await readdir(workshop)).find((one) => one.endsWith('.deb')) ?? '';
      await runCommand('dpkg-deb', ['--extract', join(workshop, file), workshop]);
    });
    for (const path of paths) await rename(join(workshop, path), join(cachedBinaries, basename(path)));
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Where {@link unpackPackages} puts these packages. */
function unpackedFolder(names: readonly string[]): string {
  const release = readFileSync('/etc/os-release', 'utf8');
  const what = createHash('sha256')
    .update([...[...names].sort(), release].join('\n'))
    .digest('hex');
  return join(userCache, 'debian', what.slice(0, 16));
}

/** Beside the files of the packages: the version of each. */
const versionsFile = 'versions.json';

export interface Unpacked {
  folder: string;
  versions: Record<string, string>;
}

/** What {@link unpackPackages} has made, if it has. */
export function findUnpacked(names: readonly string[]): Unpacked | undefined {
  if (!existsSync('/etc/os-release')) return undefined;
  const folder = unpackedFolder(names);
  const file = join(folder, versionsFile);
  if (!existsSync(file)) return undefined;
  return { folder, versions: JSON.parse(readFileSync(file, 'utf8')) as Record<string, string> };
}

/**
 * Fetches packages and unpacks them all into one folder of our cache, once per user and list. Nothing is installed, and
 * what they depend on is not fetched.
 */
export async function unpackPackages(names: readonly string[]): Promise<Unpacked> {
  const found = findUnpacked(names);
  if (found) return found;
  const folder = unpackedFolder(names);
  await makeOnce(folder, `fetching ${String(names.length)} packages with apt-get`, async (workshop) => {
    await downloadPackages(names, workshop);
    const content = join(workshop, 'content');
    const versions: Record<string, string> = {};
    for (const name of await readdir(workshop)) {
      const archive = join(workshop, name);
      await runCommand('dpkg-deb', ['--extract', archive, content]);
      const fields = await runCommand('dpkg-deb', ['--field', archive, 'Package', 'Version']);
      const [, of = '', version = ''] = /^Package: (\S+)\nVersion: (\S+)/.exec(fields) ?? [];
      versions[of] = version;
    }
    await writeFile(join(content, versionsFile), JSON.stringify(versions));
    return content;
  });
  return { folder, versions: findUnpacked(names)?.versions ?? {} };
}
