import { dirname, join } from 'node:path';
import { canInstallPackages, installPackages } from './debian-packages';
import { isDockerUsable } from './docker-mysql';
import { findExecutable, isExecutable } from './on-path';
import { runCommand } from './run-command';

export type FoundMysql =
  | { kind: 'external'; url: string; migrateUrl: string | undefined }
  | { kind: 'mariadb'; server: string; installer: string }
  | { kind: 'mysql'; server: string }
  | { kind: 'docker' };

/** Folders of installed servers that are on no PATH. */
export const serverFolders = ['/usr/sbin', '/usr/libexec', '/usr/local/sbin', '/usr/local/libexec'];

/** @throws an Error with the ways to get a MySQL or MariaDB server. */
export async function findMysql(env: NodeJS.ProcessEnv = process.env): Promise<FoundMysql> {
  if (env.DATABASE_URL) {
    const migrateUrl = env['MALIPO_MIGRATE_DATABASE_URL'];
    return {
      kind: 'external',
      url: env.DATABASE_URL,
      migrateUrl: migrateUrl === '' ? undefined : migrateUrl,
    };
  }
  const local = await findLocalServer();
  if (local) return local;
  if (await isDockerUsable()) return { kind: 'docker' };
  if (canInstallPackages()) {
    await installServer();
    const installed = await findLocalServer();
    if (installed) return installed;
  }
  throw new Error(
    [
      'No MySQL or MariaDB server was found. Any of these helps:',
      '  - install one; it need not run: `sudo apt-get install mariadb-server`, `brew install mariadb`',
      '  - start Docker',
      '  - set DATABASE_URL=mysql://user:password@host:3306/malipo to use a running server',
    ].join('\n'),
  );
}

/** The program that `MALIPO_MYSQL_SERVER` names. */
export function namedServer(): string | undefined {
  const named = process.env['MALIPO_MYSQL_SERVER'] ?? '';
  return named === '' ? undefined : named;
}

async function findLocalServer(): Promise<FoundMysql | undefined> {
  const named = namedServer();
  if (named !== undefined && !isExecutable(named))
    throw new Error(`MALIPO_MYSQL_SERVER: ${named} is no program`);
  // Some systems install MariaDB under MySQL's name, so its version output decides.
  const server = named ?? findExecutable(['mariadbd', 'mysqld'], serverFolders);
  if (server === undefined) return undefined;
  if (!(await runCommand(server, ['--version'])).includes('MariaDB')) return { kind: 'mysql', server };
  const beside = [
    dirname(server),
    join(dirname(server), '..', 'bin'),
    join(dirname(server), '..', 'scripts'),
  ];
  const installer = findExecutable(['mariadb-install-db', 'mysql_install_db'], beside);
  return installer === undefined ? undefined : { kind: 'mariadb', server, installer };
}

async function installServer(): Promise<void> {
  try {
    // The two core packages are enough for a private server, and start no system service.
    await installPackages(['mariadb-server-core', 'mariadb-client-core']);
  } catch {
    // Older releases have the version in the names of the core packages.
    await installPackages(['mariadb-server']);
  }
}
