/** The compose file's `mysql` service, run alone in the foreground and reachable from this machine only. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, whenReady } from './child-process';
import { findExecutable } from './on-path';
import type { MysqlService } from './mysql-server';
import { tryCommand } from './run-command';
import { isMysqlReady } from './schema';

const composeFile = join(process.cwd(), 'docker-compose.yml');

/** Compose wants every variable of the file, also those of services that are not started. */
export const composeRequired = ['MALIPO_PUBLIC_URL', 'STK_SHORTCODE'];

/** The files of the compose file's folder of secrets that its `mysql` service reads. */
export const mysqlPasswords = ['root', 'migrate', 'service', 'temporal'].map((name) => `${name}_password`);

export async function isDockerUsable(): Promise<boolean> {
  if (findExecutable(['docker']) === undefined) return false;
  const answers = await Promise.all([
    tryCommand('docker', ['info']),
    tryCommand('docker', ['compose', 'version']),
  ]);
  return answers.every(({ code }) => code === 0);
}

export interface DockerMysqlOptions {
  folder: string;
  port: number;
  logFile: string;
  password: string;
}

export function dockerMysqlServer({ folder, port, logFile, password }: DockerMysqlOptions): MysqlService {
  const adminUrl = `mysql://root:${password}@127.0.0.1:${String(port)}`;
  return {
    name: 'MySQL',
    adminUrl,
    // Through Docker's bridge, whose address differs from machine to machine.
    loginHost: '%',
    spawn: () => {
      keepPasswords(folder, password);
      return startChild({
        name: 'MySQL',
        command: 'docker',
        args: [
          ...composeFor(folder),
          ...['run', '--rm', '--publish', `127.0.0.1:${String(port)}:3306`, 'mysql'],
        ],
        env: composeEnvironment(folder),
        logFile,
        graceMs: 30_000,
      });
    },
    // The first run pulls the image, which takes as long as the line is slow.
    ready: (child) =>
      whenReady(child, () => isMysqlReady(adminUrl), { what: 'MySQL in Docker', timeoutMs: 600_000 }),
  };
}

/** Forgets the data, which Docker keeps in a volume of its own. */
export async function removeDockerMysql(folder: string): Promise<void> {
  if (!(await isDockerUsable())) return;
  await tryCommand('docker', [...composeFor(folder), 'down', '--volumes'], {
    env: composeEnvironment(folder),
  });
}

/** One compose project per data folder, so that two clones do not share a volume. */
function composeFor(folder: string): string[] {
  const project = `malipo-sandbox-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
  return ['compose', '--file', composeFile, '--project-name', project];
}

const secretsOf = (folder: string) => join(folder, 'docker-secrets');

/**
 * As deploy/compose/secrets.sh does: who may not enter the outer folder gets to nothing, and inside the container's user
 * reads what it is given, whatever this process keeps from others (its umask).
 */
export function keepPasswords(folder: string, password: string): void {
  const inner = join(secretsOf(folder), 'mysql');
  mkdirSync(inner, { recursive: true });
  chmodSync(secretsOf(folder), 0o700);
  chmodSync(inner, 0o755);
  for (const name of mysqlPasswords) {
    writeFileSync(join(inner, name), password);
    chmodSync(join(inner, name), 0o644);
  }
}

function composeEnvironment(folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...Object.fromEntries(composeRequired.map((name) => [name, 'unused'])),
    MALIPO_SECRETS: secretsOf(folder),
    // It is asked from this machine alone, by the port that is published on it.
    MYSQL_REQUIRE_TLS: 'OFF',
  };
}
