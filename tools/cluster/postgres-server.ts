/** A private PostgreSQL server for Temporal: its own folder and port, loopback only, and certificate logins only. */
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, whenReady, type Service } from '../sandbox/services/child-process';
import { findExecutable } from '../sandbox/services/on-path';
import { listensOn } from '../sandbox/services/port-holder';
import { step } from '../sandbox/services/progress';
import { runCommand } from '../sandbox/services/run-command';
import { postgresUser, type ClusterCertificates } from './certificates';

export interface PostgresOptions {
  /** The folder of `initdb`, `postgres` and `psql`. */
  programs: string;
  /** Contains only this server's data. */
  folder: string;
  port: number;
  certificates: ClusterCertificates['postgres'];
  connectionsMax: number;
  logFile: string;
  /** Lets the server count statements, for measurements only. */
  countStatements?: boolean;
}

/** Temporal's two databases: its data, and the visibility store. */
export const postgresDatabases = { default: 'temporal', visibility: 'temporal_visibility' } as const;

/** It is part of the server, and visible in the database where its extension was created. */
const statementCounter = 'pg_stat_statements';

export interface PostgresService extends Service {
  /** Runs a statement in Temporal's main database, and returns the printed result. */
  query(sql: string): Promise<string>;
}

export async function postgresServer(options: PostgresOptions): Promise<PostgresService> {
  const { programs, folder, port, logFile } = options;
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const plain = await plainUser();
  const dataFolder = join(folder, 'data');
  if (!existsSync(dataFolder)) {
    await step('creating a private PostgreSQL', () => createData(options, dataFolder, plain));
  }
  const rules = join(folder, 'pg_hba.conf');
  // No other login works, not even the administrator's, whose account has no login.
  await writeFile(rules, `hostssl all ${postgresUser} 127.0.0.1/32 cert\n`);
  return {
    name: 'PostgreSQL',
    query: (sql) => query(options, sql),
    spawn: async () => {
      const [command, args] = plain.run(
        join(programs, 'postgres'),
        serverArguments(options, dataFolder, rules),
      );
      return startChild({
        name: 'PostgreSQL',
        command,
        args,
        env: bareEnvironment(),
        logFile,
        // On SIGTERM, PostgreSQL waits until the last client has disconnected.
        endSignal: 'SIGINT',
        graceMs: 60_000,
      });
    },
    ready: (child) =>
      whenReady(child, async () => (await query(options, 'SELECT 1')) !== '' && listensOn(child.pid, port), {
        what: `PostgreSQL at 127.0.0.1:${String(port)}`,
        timeoutMs: 180_000,
      }),
  };
}

/** The data folder gets its name only when it is complete, so an interrupted start can simply be repeated. */
async function createData(
  { programs, countStatements }: PostgresOptions,
  dataFolder: string,
  plain: PlainUser,
): Promise<void> {
  const unfinished = `${dataFolder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await plain.owns(unfinished);
  const run = (program: string, args: string[], input?: string) => {
    const [command, all] = plain.run(join(programs, program), args);
    return runCommand(command, all, { env: bareEnvironment(), ...(input !== undefined && { input }) });
  };
  await run('initdb', ['-D', unfinished, '-U', 'postgres', '--encoding=UTF8', '--locale=C', '--auth=reject']);
  await run('postgres', ['--single', '-D', unfinished, 'postgres'], accountStatements());
  if (countStatements) {
    const single = ['--single', '-D', unfinished, postgresDatabases.default];
    await run('postgres', single, `CREATE EXTENSION ${statementCounter}\n`);
  }
  await rename(unfinished, dataFolder);
}

/** One statement per line, as a server in single-user mode reads them. It would continue after an error. */
function accountStatements(): string {
  return [
    `CREATE ROLE ${postgresUser} LOGIN`,
    ...Object.values(postgresDatabases).map((name) => `CREATE DATABASE ${name} OWNER ${postgresUser}`),
    '',
  ].join('\n');
}

function serverArguments(
  { port, certificates, connectionsMax, countStatements }: PostgresOptions,
  dataFolder: string,
  rules: string,
): string[] {
  const { caFile, certFile, keyFile } = certificates.server;
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // A socket's path must be short, and our folder may be deep.
    unix_socket_directories: '',
    hba_file: rules,
    max_connections: String(connectionsMax),
    ssl: 'on',
    ssl_min_protocol_version: 'TLSv1.2',
    ssl_ca_file: caFile,
    ssl_cert_file: certFile,
    ssl_key_file: keyFile,
    ...(countStatements && { shared_preload_libraries: statementCounter }),
  };
  return [
    '-D',
    dataFolder,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** Queries as Temporal does: over TLS, with the certificate of its account. */
async function query({ programs, port, certificates }: PostgresOptions, sql: string): Promise<string> {
  const { caFile, certFile, keyFile } = certificates.client;
  return runCommand(join(programs, 'psql'), ['--no-psqlrc', '-c', sql], {
    env: {
      ...bareEnvironment(),
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: postgresUser,
      PGDATABASE: postgresDatabases.default,
      PGCONNECT_TIMEOUT: '10',
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: caFile,
      PGSSLCERT: certFile,
      PGSSLKEY: keyFile,
    },
  });
}

/** PostgreSQL's server and client read many environment variables: none of them are for this server. */
function bareEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}

/** PostgreSQL never runs as root. */
interface PlainUser {
  run(command: string, args: string[]): [string, string[]];
  owns(path: string): Promise<void>;
}

async function plainUser(): Promise<PlainUser> {
  if (process.getuid?.() !== 0) {
    return { run: (command, args) => [command, args], owns: () => Promise.resolve() };
  }
  const setpriv = process.platform === 'linux' ? findExecutable(['setpriv'], ['/usr/bin']) : undefined;
  if (setpriv === undefined) throw new Error('PostgreSQL does not run as root: start this as another user');
  const id = async (of: string, user: string) => Number(await runCommand('id', [of, user]));
  // The package creates a user for its server.
  const name = await runCommand('id', ['-u', 'postgres']).then(
    () => 'postgres',
    () => 'nobody',
  );
  const [uid, gid] = [await id('-u', name), await id('-g', name)];
  return {
    run: (command, args) => [
      setpriv,
      [
        ...['--reuid', String(uid), '--regid', String(gid), '--clear-groups'],
        // Other users cannot enter root's own folders, where a clone or a temporary folder may be.
        ...['--inh-caps', '-all,+dac_override', '--ambient-caps', '-all,+dac_override'],
        // Changing the user cleared the parent-death signal, so it is set again.
        ...['--pdeathsig', 'INT', '--', command, ...args],
      ],
    ],
    owns: (path) => chown(path, uid, gid),
  };
}
