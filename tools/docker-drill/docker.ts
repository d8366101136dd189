/** A Docker of the drill's own: its daemon, images and volumes are in one folder, and gone afterwards. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { canInstallPackages, installPackages } from '../sandbox/services/debian-packages';
import { startChild, whenReady } from '../sandbox/services/child-process';
import { buildWithGo } from '../sandbox/services/go-tool';
import { findExecutable, isExecutable } from '../sandbox/services/on-path';
import { step } from '../sandbox/services/progress';
import { runCommand, tryCommand } from '../sandbox/services/run-command';
import { cachedBinaries } from '../sandbox/services/user-cache';

export interface Docker {
  /** For processes that use this Docker. */
  env: NodeJS.ProcessEnv;
  socket: string;
  run(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

const systemFolders = ['/usr/sbin', '/sbin'];
/** Program and its package in Debian. */
const programs = {
  docker: 'docker.io',
  dockerd: 'docker.io',
  iptables: 'iptables',
  debootstrap: 'debootstrap',
} as const;

/** The newest release that `go install` builds: later ones have `exclude` lines. */
const compose = { version: 'v2.34.0', module: 'github.com/docker/compose/v2/cmd' };

/** @throws an Error that says what the machine lacks. */
export async function startDocker(folder: string): Promise<Docker> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('the drill needs Linux and root: it starts a Docker daemon');
  await findPrograms();
  if ((await tryCommand('docker', ['info'])).code === 0)
    throw new Error(
      'Docker runs on this machine, and the drill starts its own: it makes images under the names of official ones, ' +
        'and deletes volumes. Stop it (`systemctl stop docker.socket docker`), or use another machine.',
    );
  const plugin = await findCompose();
  const config = join(folder, 'config', 'cli-plugins');
  mkdirSync(config, { recursive: true });
  symlinkSync(plugin, join(config, 'docker-compose'));

  const socket = join(folder, 'docker.sock');
  const env = {
    ...process.env,
    DOCKER_HOST: `unix://${socket}`,
    DOCKER_CONFIG: join(folder, 'config'),
    MALIPO_DOCKER_SOCKET: socket,
  };
  const rules = await packetRules();
  const daemon = await startChild({
    name: 'Docker',
    command: 'dockerd',
    args: [
      ...['--host', `unix://${socket}`, '--data-root', join(folder, 'data')],
      ...['--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'docker.pid')],
    ],
    logFile: join(folder, 'docker.log'),
    graceMs: 60_000,
  });
  const run = (...args: string[]) => runCommand('docker', args, { env });
  await step('starting Docker', () =>
    whenReady(daemon, async () => (await tryCommand('docker', ['info'], { env })).code === 0, {
      what: 'the Docker daemon',
      timeoutMs: 60_000,
    }),
  );
  return {
    env,
    socket,
    run,
    async stop() {
      await step('removing Docker with all that it had', async () => {
        const containers = (await run('ps', '--all', '--quiet')).split('\n').filter((id) => id !== '');
        if (containers.length > 0) await run('rm', '--force', '--volumes', ...containers);
        await run('network', 'prune', '--force');
        await daemon.stop();
        await tryCommand('ip', ['link', 'delete', 'docker0']);
        await runCommand('iptables-restore', [], { input: rules });
      });
    },
  };
}

const emptyTables = {
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
};

/** What `iptables-restore` reads to undo the daemon's changes: it leaves chains behind, and a policy that drops. */
async function packetRules(): Promise<string> {
  const now = await runCommand('iptables-save', []);
  const unused = Object.entries(emptyTables).filter(([table]) => !now.includes(`*${table}\n`));
  const added = unused.map(([table, chains]) =>
    [`*${table}`, ...chains.map((chain) => `:${chain} ACCEPT`), 'COMMIT', ''].join('\n'),
  );
  return now + added.join('');
}

async function findPrograms(): Promise<void> {
  const missing = () =>
    Object.entries(programs)
      .filter(([program]) => findExecutable([program], systemFolders) === undefined)
      .map(([, name]) => name);
  const packages = [...new Set(missing())];
  if (packages.length > 0 && canInstallPackages()) await installPackages(packages);
  if (missing().length > 0)
    throw new Error(
      `the drill needs ${packages.join(', ')}; on Debian: apt-get install ${packages.join(' ')}`,
    );
}

async function findCompose(): Promise<string> {
  const { version, module } = compose;
  const target = join(cachedBinaries, `docker-compose-${version}`);
  if (isExecutable(target)) return target;
  const progress = `building Docker Compose ${version} with Go (2 to 5 minutes, only once per user)`;
  const built = await buildWithGo(target, `${module}@${version}`, progress);
  if (built === undefined) throw new Error('the drill needs Go 1.23.6 or later, to build Docker Compose');
  return built;
}
