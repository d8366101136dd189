/** A private MySQL or MariaDB server: its own data folder, port and user, loopback only. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, whenReady, type Service } from './child-process';
import { dockerMysqlServer } from './docker-mysql';
import type { FoundMysql } from './find-mysql';
import { step } from './progress';
import { runCommand } from './run-command';
import { isMysqlReady } from './schema';

export interface MysqlServerOptions {
  found: Exclude<FoundMysql, { kind: 'external' }>;
  /** Contains only the data and the password. */
  folder: string;
  port: number;
  logFile: string;
  /** False leaves commits in the operating system's memory, which is enough for tests. */
  durable?: boolean;
  /** With it, all connections use TLS, and the administrator needs a certificate too. */
  tls?: { server: TlsFiles; client: TlsFiles };
  /** Further options of the server. */
  further?: string[];
}

/** One end's certificate, and the authority that it trusts: paths of PEM files. */
interface TlsFiles {
  caFile: string;
  certFile: string;
  keyFile: string;
}

export interface MysqlService extends Service {
  /** May create databases and accounts. It names no database, and no process of the product gets it. */
  adminUrl: string;
  /** The address of our processes' logins, as this server sees it. */
  loginHost: string;
}

type LocalOptions = MysqlServerOptions & { found: Exclude<MysqlServerOptions['found'], { kind: 'docker' }> };

const user = 'malipo_admin';

export async function mysqlServer(options: MysqlServerOptions): Promise<MysqlService> {
  await mkdir(options.folder, { recursive: true });
  await chmod(options.folder, 0o700);
  const password = await keptPassword(join(options.folder, 'password'));
  const { found } = options;
  return found.kind === 'docker'
    ? dockerMysqlServer({ ...options, password })
    : localServer({ ...options, found }, password);
}

async function localServer(options: LocalOptions, password: string): Promise<MysqlService> {
  const { folder, port, found, tls } = options;
  const dataFolder = join(folder, 'data');
  const initFile = join(folder, 'init.sql');
  const temporaryFolder = join(folder, 'tmp');
  await mkdir(temporaryFolder, { recursive: true, mode: 0o700 });
  if (!existsSync(dataFolder)) {
    await step('creating a private database', () => createData(found, dataFolder, temporaryFolder));
  }
  const proof = tls === undefined ? 'NONE' : 'X509';
  await writeFile(initFile, accountStatements(password, proof), { mode: 0o600 });

  const adminUrl = addressOf(options, password);
  return {
    name: 'MySQL',
    adminUrl,
    loginHost: '127.0.0.1',
    spawn: () =>
      startChild({
        name: 'MySQL',
        command: found.server,
        args: serverArguments(options, dataFolder, initFile, temporaryFolder),
        logFile: options.logFile,
        graceMs: 30_000,
      }),
    ready: (child) =>
      whenReady(child, () => isMysqlReady(adminUrl), {
        what: `MySQL at 127.0.0.1:${String(port)}`,
        timeoutMs: 90_000,
      }),
  };
}

function addressOf({ port, tls }: LocalOptions, password: string): string {
  if (tls === undefined) return `mysql://${user}:${password}@127.0.0.1:${String(port)}`;
  // By name, because the certificate is compared with it.
  const url = new URL(`mysql://${user}:${password}@localhost:${String(port)}`);
  const { caFile, certFile, keyFile } = tls.client;
  url.search = new URLSearchParams({ 'ssl-ca': caFile, 'ssl-cert': certFile, 'ssl-key': keyFile }).toString();
  return url.href;
}

function tlsArguments(tls: LocalOptions['tls']): string[] {
  if (tls === undefined) return [];
  const { caFile, certFile, keyFile } = tls.server;
  return [
    '--require-secure-transport=ON',
    `--ssl-ca=${caFile}`,
    `--ssl-cert=${certFile}`,
    `--ssl-key=${keyFile}`,
    '--tls-version=TLSv1.2,TLSv1.3',
  ];
}

/** The data folder gets its name only when it is complete, so an interrupted start can simply be repeated. */
async function createData(
  found: LocalOptions['found'],
  dataFolder: string,
  temporaryFolder: string,
): Promise<void> {
  const unfinished = `${dataFolder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  if (found.kind === 'mariadb') {
    await runCommand(found.installer, [
      '--no-defaults',
      `--datadir=${unfinished}`,
      `--tmpdir=${temporaryFolder}`,
      // The "normal" method would leave accounts without a password; ours comes from the init file.
      '--auth-root-authentication-method=socket',
      '--skip-test-db',
      ...runAs(),
    ]);
  } else {
    await runCommand(found.server, [
      '--no-defaults',
      '--initialize-insecure',
      `--datadir=${unfinished}`,
      `--tmpdir=${temporaryFolder}`,
      ...runAs(),
    ]);
  }
  await rename(unfinished, dataFolder);
}

function serverArguments(
  { found, port, durable = true, tls, further = [] }: LocalOptions,
  dataFolder: string,
  initFile: string,
  temporaryFolder: string,
): string[] {
  return [
    '--no-defaults',
    ...runAs(),
    `--datadir=${dataFolder}`,
    // At its start a server deletes the temporary tables in its folder, even those of a running server.
    `--tmpdir=${temporaryFolder}`,
    `--init-file=${initFile}`,
    `--port=${String(port)}`,
    '--bind-address=127.0.0.1',
    // Both are in the data folder; a relative name keeps the socket's path short.
    '--socket=server.sock',
    '--pid-file=server.pid',
    '--skip-name-resolve',
    '--skip-log-bin',
    '--sync-binlog=1',
    `--innodb-flush-log-at-trx-commit=${durable ? '1' : '2'}`,
    '--innodb-rollback-on-timeout=ON',
    '--innodb-buffer-pool-size=256M',
    '--max-connections=300',
    '--performance-schema=OFF',
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_bin',
    ...(found.kind === 'mysql' ? ['--mysqlx=OFF', '--secure-file-priv=NULL'] : []),
    ...tlsArguments(tls),
    ...further,
  ];
}

/** Runs at every start of the server; one statement per line, as MariaDB reads init files. */
function accountStatements(password: string, proof: 'NONE' | 'X509'): string {
  const account = `'${user}'@'127.0.0.1'`;
  return [
    `CREATE USER IF NOT EXISTS ${account} IDENTIFIED BY '${password}';`,
    `ALTER USER ${account} IDENTIFIED BY '${password}' REQUIRE ${proof};`,
    `GRANT ALL PRIVILEGES ON *.* TO ${account} WITH GRANT OPTION;`,
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${password}';`,
    '',
  ].join('\n');
}

/** Both servers run as root only with this option. */
function runAs(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

async function keptPassword(file: string): Promise<string> {
  if (!existsSync(file)) await writeFile(file, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
  return readFile(file, 'utf8');
}
