/**
 * Oracle's MySQL, for `npm run test:mysql`. Debian has it in its unstable suite only. So the packages are fetched with all
 * that they depend on, down to the C library, and unpacked into our cache. Nothing is installed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { canFetchPackages } from './debian-packages';
import { makeOnce } from './make-once';
import { runCommand } from './run-command';
import { userCache } from './user-cache';

const suite = 'sid';
const wanted = ['mysql-server-core', 'mysql-client-core'];
/** Their paths below `/usr`. */
const programs = ['sbin/mysqld', 'bin/mysql', 'bin/mysqldump', 'bin/mysqlbinlog'];
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * @returns the path of a program that works like `mysqld`. Beside it are `mysql`, `mysqldump` and `mysqlbinlog`.
 * @throws an Error if this machine cannot fetch Debian's packages.
 */
export async function fetchMysql(): Promise<string> {
  const folder = join(userCache, 'debian', 'mysql-with-tools');
  if (!existsSync(folder)) {
    if (!canFetchPackages())
      throw new Error("Oracle's MySQL is fetched with apt-get, on Debian or Ubuntu only");
    await makeOnce(folder, `fetching Oracle's MySQL from Debian's suite ${suite}`, unpack);
  }
  return join(folder, 'mysqld');
}

async function unpack(workshop: string): Promise<string> {
  const at = (...parts: string[]) => join(workshop, ...parts);
  for (const needed of ['lists/partial', 'archives/partial', 'state'])
    await mkdir(at('apt', needed), { recursive: true });
  await writeFile(at('apt', 'sources'), `deb [signed-by=${keyring}] ${debianArchive()} ${suite} main\n`);
  // Nothing counts as installed, so that every package it depends on is fetched, too.
  await writeFile(at('apt', 'status'), '');
  await writeFile(
    at('apt', 'settings'),
    [
      `Dir::State "${at('apt', 'state')}";`,
      `Dir::State::lists "${at('apt', 'lists')}";`,
      `Dir::State::status "${at('apt', 'status')}";`,
      `Dir::Cache "${at('apt')}";`,
      `Dir::Etc::sourcelist "${at('apt', 'sources')}";`,
      'Dir::Etc::sourceparts "-";',
      '',
    ].join('\n'),
  );
  const env = { ...process.env, APT_CONFIG: at('apt', 'settings'), DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update', '-q'], { env });
  const options = ['--yes', '-q', '--download-only', '--no-install-recommends'];
  await runCommand('apt-get', ['install', ...options, ...wanted], { env });
  const made = at('made');
  const root = join(made, 'root');
  await mkdir(root, { recursive: true });
  const archives = at('apt', 'archives');
  for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb')))
    await runCommand('dpkg-deb', ['--extract', join(archives, name), root]);
  for (const path of programs) {
    const program = join(made, basename(path));
    await writeFile(program, starter(path));
    await chmod(program, 0o755);
    await runCommand(program, ['--version']);
  }
  return made;
}

/** The archive that this machine's packages come from. */
function debianArchive(): string {
  const folder = '/etc/apt/sources.list.d';
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ].filter((file) => /\.(list|sources)$/.test(file) && existsSync(file));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const found = lines.flatMap(
    (line) => /^(?:deb|URIs:)\s[^#]*?(https?:\S+\/debian)\/?(?:\s|$)/.exec(line)?.[1] ?? [],
  );
  const [first] = found;
  if (first === undefined) throw new Error('no archive of Debian is in /etc/apt');
  return first;
}

/** Its own C library is newer than this machine's. Options that callers give come first: `--no-defaults` must. */
function starter(path: string): string {
  const folders = path.startsWith('sbin/')
    ? ' --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mysql"'
    : '';
  return `#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/root
libraries=$root/usr/lib/$(uname -m)-linux-gnu
for loader in "$libraries"/ld-linux*.so.*; do
  exec "$loader" --library-path "$libraries" "$root/usr/${path}" "$@"${folders}
done
`;
}
