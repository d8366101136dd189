/**
 * A test's own MariaDB or MySQL server that writes a binary log on "another disk", and is backed up and restored with
 * its own tools, as docs/restore.md says.
 */
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, type ChildProcess } from '../../../tools/sandbox/services/child-process';
import type { BackupTools } from '../../../tools/sandbox/services/find-backup-tools';
import { findMysql } from '../../../tools/sandbox/services/find-mysql';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { mysqlServer, type MysqlService } from '../../../tools/sandbox/services/mysql-server';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { createAccounts, createSchema } from '../../../tools/sandbox/services/schema';
import { openDatabase } from '../../../src/store/database';
import { prepareSchema, type SchemaAccounts } from '../../../src/store/prepare-schema';
import type { TestDatabase } from '../../support/database';

const schema = 'malipo';

export interface Backup {
  file: string;
  /** The position of the binary log in the dumped snapshot. */
  binlog: { file: string; position: string };
}

export interface BackedUpMysql {
  database: Pick<TestDatabase, 'url' | 'db' | 'drop'>;
  /** Dumps one snapshot while all others continue. */
  backUp(): Promise<Backup>;
  /** kill -9, and the data folder is deleted. The backup and the binary log remain. */
  destroy(): Promise<void>;
  /** A new server in the same place, with the backup's data, and the binary log's after it. */
  restore(backup: Backup, upTo: 'last commit' | 'backup'): Promise<void>;
  /** Stops it and deletes its data. */
  end(): Promise<void>;
}

/** How a server's own tools say that a dump has the position of the binary log. */
const words = {
  mariadb: { options: ['--master-data=2'], stood: /MASTER_LOG_FILE='([^']+)', MASTER_LOG_POS=(\d+)/ },
  mysql: {
    options: ['--source-data=2', '--set-gtid-purged=COMMENTED'],
    stood: /SOURCE_LOG_FILE='([^']+)', SOURCE_LOG_POS=(\d+)/,
  },
};

export async function backedUpMysql(tools: BackupTools): Promise<BackedUpMysql> {
  const found = await findMysql({});
  if (found.kind !== tools.kind) throw new Error('unreachable: the tools are only found beside their server');
  const folder = await mkdtemp(join(tmpdir(), 'malipo-backup-'));
  const port = await freePort();
  let life = 0;
  const binlogOf = (n: number) => join(folder, `binlog-${String(n)}`);

  /** Each server starts its own binary log. */
  async function newServer(): Promise<MysqlService> {
    life += 1;
    await mkdir(binlogOf(life));
    return mysqlServer({
      found: found as Extract<typeof found, { server: string }>,
      folder,
      port,
      logFile: join(folder, 'mysql.log'),
      durable: true,
      further: [
        ...['--server-id=1', '--log-bin-trust-function-creators=1'],
        // MySQL's default.
        ...(tools.kind === 'mariadb' ? ['--binlog-format=ROW'] : []),
        `--log-bin=${join(binlogOf(life), 'binlog')}`,
      ],
    });
  }

  async function accountsOf({ adminUrl, loginHost }: MysqlService): Promise<SchemaAccounts> {
    const login = (user: string) => ({ user, password: 'test', host: loginHost });
    return createAccounts(adminUrl, schema, { migrate: login('malipo_migrate'), service: login('malipo') });
  }

  let service = await newServer();
  let child: ChildProcess = await launch(service);
  const adminUrl = await createSchema(service.adminUrl, schema);
  const accounts = await accountsOf(service);
  await prepareSchema(accounts);
  const db = openDatabase(adminUrl);

  const loginFile = join(folder, 'login.cnf');
  const { username, password, hostname } = new URL(service.adminUrl);
  const login = { user: username, password, host: hostname, port: String(port), protocol: 'tcp' };
  const lines = Object.entries(login).map(([name, value]) => `${name}=${value}`);
  await writeFile(loginFile, ['[client]', ...lines, ''].join('\n'), { mode: 0o600 });
  const asAdmin = `--defaults-file=${loginFile}`;

  const bringIn = (file: string, into: string[]) =>
    runCommand('sh', ['-c', 'exec "$0" "$@" < "$DUMP"', tools.client, asAdmin, '--binary-mode', ...into], {
      env: { ...process.env, DUMP: file },
    });

  return {
    database: { url: accounts.serviceUrl, db, drop: () => db.destroy() },
    async backUp() {
      const file = join(folder, 'backup.sql');
      const { options, stood: line } = words[tools.kind];
      const snapshot = ['--single-transaction', ...options];
      const everything = ['--routines', '--triggers', '--events', '--hex-blob'];
      await runCommand(tools.dump, [asAdmin, ...snapshot, ...everything, `--result-file=${file}`, schema]);
      const [, name, position] = line.exec(await readFile(file, 'utf8')) ?? [];
      if (name === undefined || position === undefined)
        throw new Error('the dump does not say where the binary log stood');
      return { file, binlog: { file: name, position } };
    },
    async destroy() {
      process.kill(-child.pid, 'SIGKILL');
      await child.exited;
      await rm(join(folder, 'data'), { recursive: true });
    },
    async restore({ file, binlog }, upTo) {
      const lost = binlogOf(life);
      service = await newServer();
      child = await launch(service);
      await createSchema(service.adminUrl, schema);
      await accountsOf(service);
      await bringIn(file, [schema]);
      if (upTo === 'last commit') {
        const names = (await readdir(lost)).filter((name) => /\.\d+$/.test(name) && name >= binlog.file);
        const after = join(folder, 'after.sql');
        await runCommand(tools.binlog, [
          '--no-defaults',
          `--start-position=${binlog.position}`,
          `--result-file=${after}`,
          ...names.sort().map((name) => join(lost, name)),
        ]);
        await bringIn(after, []);
      }
      // The migration job: nothing is pending, and the service's account gets its privileges.
      await prepareSchema(accounts);
    },
    async end() {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
