import { join } from 'node:path';
import { canInstallPackages, takeFromPackage } from './debian-packages';
import { serverFolders } from './find-mysql';
import { findExecutable } from './on-path';
import { cachedBinaries } from './user-cache';

/** MariaDB's own tools: they dump a database, read its binary log, and restore both. */
export interface BackupTools {
  dump: string;
  binlog: string;
  client: string;
}

/** The tools of the restore drill; undefined if they are missing, or the server is MySQL. */
export function findBackupTools(): BackupTools | undefined {
  const server = findExecutable(['mariadbd'], serverFolders);
  const dump = findExecutable(['mariadb-dump'], [cachedBinaries]);
  const binlog = findExecutable(['mariadb-binlog'], [cachedBinaries]);
  const client = findExecutable(['mariadb']);
  if (server === undefined || dump === undefined || binlog === undefined || client === undefined)
    return undefined;
  return { dump, binlog, client };
}

export async function findOrFetchBackupTools(): Promise<BackupTools | undefined> {
  const found = findBackupTools();
  if (found !== undefined || !canInstallPackages()) return found;
  const tools = ['mariadb-dump', 'mariadb-binlog'].map((name) => join('usr', 'bin', name));
  await takeFromPackage('mariadb-client', tools);
  return findBackupTools();
}
