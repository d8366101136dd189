import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canInstallPackages, installPackages } from '../sandbox/services/debian-packages';
import { findExecutable, isExecutable } from '../sandbox/services/on-path';

/** Debian's packages install several versions beside each other, none of them on the PATH. */
const versionsFolder = '/usr/lib/postgresql';
const needed = ['initdb', 'postgres', 'psql'];

/** @returns the folder of the programs. @throws an Error with the ways to get them. */
export async function findPostgres(): Promise<string> {
  const found = findInstalled();
  if (found !== undefined) return found;
  if (canInstallPackages()) {
    await installWithoutCluster();
    const installed = findInstalled();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    [
      'PostgreSQL was not found. Either of these helps:',
      '  - install it; it need not run: `sudo apt-get install postgresql`, `brew install postgresql`',
      '  - put the folder of its programs (initdb, postgres, psql) on the PATH',
    ].join('\n'),
  );
}

function findInstalled(): string | undefined {
  const versions = existsSync(versionsFolder) ? readdirSync(versionsFolder) : [];
  const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
  const onPath = findExecutable(['initdb']);
  return [
    ...newestFirst.map((version) => join(versionsFolder, version, 'bin')),
    ...(onPath === undefined ? [] : [dirname(onPath)]),
  ].find((folder) => needed.every((name) => isExecutable(join(folder, name))));
}

/** The package would create and start its own database; we need only its programs. */
async function installWithoutCluster(): Promise<void> {
  const folder = '/etc/postgresql-common/createcluster.d';
  const setting = join(folder, 'malipo.conf');
  await mkdir(folder, { recursive: true });
  await writeFile(setting, 'create_main_cluster = false\n');
  try {
    await installPackages(['postgresql']);
  } finally {
    await rm(setting, { force: true });
  }
}
