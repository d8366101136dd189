/** The compose file's `mysql` service, run alone in the foreground, and reachable only from this machine. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, whenReady } from './child-process';
import { findExecutable } from './on-path';
import type { MysqlService } from './mysql-server';
import { tryCommand } from './run-command';
import { isMysqlReady } from './schema';

const composeFile = join(process.cwd(), 'deploy', 'compose', 'production.yml');

/** Compose requires every variable of the file, also for services that are not started. */
export const composeRequired = ['MALIPO_PUBLIC_URL', 'STK_SHORTCODE'];

/** The files in the compose file's folder of secrets that its `mysql` service reads. */
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
    // Through Docker's bridge, whose address differs between machines.
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
    // The first run pulls the image, which takes long on a slow network.
    ready: (child) =>
      whenReady(child, () => isMysqlReady(adminUrl), { what: 'MySQL in Docker', timeoutMs: 600_000 }),
  };
}

/** Deletes the data, which Docker stores in a volume. */
export async function removeDockerMysql(folder: string): Promise<void> {
  if (!(await isDockerUsable())) return;
  await tryCommand('docker', [...composeFor(folder), 'down', '--volumes'], {
    env: composeEnvironment(folder),
  });
}

const digestOf = (folder: string): string => createHash('sha256').update(folder).digest('hex').slice(0, 12);

/** One compose project per data folder, so that two clones do not share a volume. */
function composeFor(folder: string): string[] {
  const project = `malipo-sandbox-${digestOf(folder)}`;
  return [
    ...['compose', '--project-directory', process.cwd(), '--file', composeFile],
    ...['--project-name', project],
  ];
}

const secretsOf = (folder: string) => join(folder, 'docker-secrets');

/**
 * As in deploy/compose/secrets.sh: a user who cannot enter the outer folder reads nothing. Inside, the container's user
 * reads its files, whatever the umask of this process.
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
    // Each project needs a network of its own, beside a deployment's.
    MALIPO_NETWORK: `10.251.${String(parseInt(digestOf(folder).slice(0, 2), 16))}`,
    // Only this machine connects, by the published port.
    MYSQL_REQUIRE_TLS: 'OFF',
  };
}
