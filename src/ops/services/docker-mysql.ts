/** The compose file's `mysql` service, run alone in the foreground and reachable from this machine only. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { startChild, whenReady } from './child-process';
import { findExecutable } from './on-path';
import type { MysqlService } from './mysql-server';
import { tryCommand } from './run-command';
import { isMysqlReady } from './schema';

const composeFile = join(process.cwd(), 'docker-compose.yml');

/** Compose wants every variable of the file, also those of services that are not started. */
export const composeSecrets = [
  'MYSQL_ROOT_PASSWORD',
  'MYSQL_PASSWORD',
  'MYSQL_MIGRATE_PASSWORD',
  'TEMPORAL_DB_PASSWORD',
  'MALIPO_PUBLIC_URL',
  'MALIPO_SECRET_KEYS',
  'STK_CONSUMER_KEY',
  'STK_CONSUMER_SECRET',
  'STK_PASSKEY',
  'STK_SHORTCODE',
];

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
    spawn: () =>
      startChild({
        name: 'MySQL',
        command: 'docker',
        args: [
          ...composeFor(folder),
          ...['run', '--rm', '--publish', `127.0.0.1:${String(port)}:3306`, 'mysql'],
        ],
        env: composeEnvironment(password),
        logFile,
        graceMs: 30_000,
      }),
    // The first run pulls the image, which takes as long as the line is slow.
    ready: (child) =>
      whenReady(child, () => isMysqlReady(adminUrl), { what: 'MySQL in Docker', timeoutMs: 600_000 }),
  };
}

/** Forgets the data, which Docker keeps in a volume of its own. */
export async function removeDockerMysql(folder: string): Promise<void> {
  if (!(await isDockerUsable())) return;
  await tryCommand('docker', [...composeFor(folder), 'down', '--volumes'], {
    env: composeEnvironment('unused'),
  });
}

/** One compose project per data folder, so that two clones do not share a volume. */
function composeFor(folder: string): string[] {
  const project = `malipo-sandbox-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
  return ['compose', '--file', composeFile, '--project-name', project];
}

function composeEnvironment(password: string): NodeJS.ProcessEnv {
  const secrets = Object.fromEntries(composeSecrets.map((name) => [name, password]));
  return { ...process.env, ...secrets };
}
