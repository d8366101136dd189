import { dirname, join } from 'node:path';
import { canInstallPackages, takeFromPackage } from './debian-packages';
import { namedServer, serverFolders } from './find-mysql';
import { findExecutable, isExecutable } from './on-path';
import { cachedBinaries } from './user-cache';

/** The server's own tools: they dump a database, read its binary log, and restore both. */
export interface BackupTools {
  /** MariaDB's tools make no dump of MySQL that can be restored, nor the other way round. */
  kind: 'mariadb' | 'mysql';
  dump: string;
  binlog: string;
  client: string;
}

/** The tools of the restore drill: MySQL's where `MALIPO_MYSQL_SERVER` names it. Undefined if they are missing. */
export function findBackupTools(): BackupTools | undefined {
  const named = namedServer();
  return named === undefined ? ofMariadb() : ofMysql(dirname(named));
}

function ofMysql(folder: string): BackupTools | undefined {
  const tools = {
    dump: join(folder, 'mysqldump'),
    binlog: join(folder, 'mysqlbinlog'),
    client: join(folder, 'mysql'),
  };
  return Object.values(tools).every(isExecutable) ? { kind: 'mysql', ...tools } : undefined;
}

function ofMariadb(): BackupTools | undefined {
  const server = findExecutable(['mariadbd'], serverFolders);
  const dump = findExecutable(['mariadb-dump'], [cachedBinaries]);
  const binlog = findExecutable(['mariadb-binlog'], [cachedBinaries]);
  const client = findExecutable(['mariadb']);
  if (server === undefined || dump === undefined || binlog === undefined || client === undefined)
    return undefined;
  return { kind: 'mariadb', dump, binlog, client };
}

export async function findOrFetchBackupTools(): Promise<BackupTools | undefined> {
  const found = findBackupTools();
  if (found !== undefined || namedServer() !== undefined || !canInstallPackages()) return found;
  const tools = ['mariadb-dump', 'mariadb-binlog'].map((name) => join('usr', 'bin', name));
  await takeFromPackage('mariadb-client', tools);
  return findBackupTools();
}
