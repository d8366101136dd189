/**
 * Images under the names that the Compose files use, for a machine that reaches Debian, npm and Go's modules and no registry
 * of images: Debian from debootstrap, Node from npm, MySQL, MariaDB and HAProxy from Debian, Temporal built with Go. They
 * stand in for the official images in this drill only.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findTemporalServer } from '../cluster/find-temporal-server';
import { fetchNode, imageNode } from '../sandbox/services/fetch-nodes';
import { findTemporal } from '../sandbox/services/find-temporal';
import { findExecutable } from '../sandbox/services/on-path';
import { step } from '../sandbox/services/progress';
import { runCommand } from '../sandbox/services/run-command';
import type { Docker } from './docker';

/** With the npm of Node 24. */
const npmVersion = '11.6.2';
/** This runs in dist. */
const scriptAt = (name: string) => join(__dirname, '..', '..', '..', 'tools', 'docker-drill', name);
export const base = 'malipo-drill-debian';
/** As in the Dockerfile. */
export const nodeImage = `node:${String(imageNode.split('.')[0])}-bookworm-slim`;

interface Plan {
  name: string;
  /** Files of this machine, by their name in /from-outside. */
  files: Record<string, string>;
  script: string;
  changes: string[];
}

/** What both drills need. */
async function makeCommonStandIns(docker: Docker, folder: string): Promise<void> {
  await step('making a Debian image with debootstrap', async () => {
    const root = join(folder, 'debian');
    await runCommand('debootstrap', ['--variant=minbase', 'bookworm', root]);
    const archive = join(folder, 'debian.tar');
    await runCommand('tar', ['--create', '--file', archive, '--directory', root, '.']);
    await docker.run('import', archive, base);
    await runCommand('rm', ['-rf', root, archive]);
  });

  const npm = join(folder, 'npm');
  await runCommand('npm', ['install', '--silent', '--global', '--prefix', npm, `npm@${npmVersion}`]);
  // A machine behind a proxy of its own has a further authority, which npm in the container needs as well.
  const authority = process.env['NODE_EXTRA_CA_CERTS'];
  await makeImage(docker, folder, {
    name: nodeImage,
    files: { node: await fetchNode(imageNode), npm, ...(authority && { 'authority.pem': authority }) },
    script: `
      cp -a /from-outside/npm/. /usr/local/
      install -m 755 /from-outside/node /usr/local/bin/node
      useradd --uid 1000 --create-home node
      if [ -e /from-outside/authority.pem ]; then install -m 644 /from-outside/authority.pem /usr/local/share/; fi`,
    changes: [
      'CMD ["node"]',
      ...(authority ? ['ENV NODE_EXTRA_CA_CERTS=/usr/local/share/authority.pem'] : []),
    ],
  });
}

async function temporalCli(): Promise<string> {
  // Without the variable: a running server would not have the program.
  const temporal = await findTemporal({});
  if (temporal.kind !== 'binary') throw new Error('the drill needs the Temporal CLI');
  return temporal.path;
}

export async function makeSandboxStandIns(docker: Docker, folder: string): Promise<void> {
  await makeCommonStandIns(docker, folder);
  await makeImage(docker, folder, {
    name: 'mysql:8.4',
    files: { 'entrypoint.sh': scriptAt('mysql-entrypoint.sh') },
    script: `
      apt-get update
      DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends mariadb-server
      rm -rf /var/lib/mysql/*
      install -m 755 /from-outside/entrypoint.sh /entrypoint.sh`,
    changes: ['ENTRYPOINT ["/entrypoint.sh"]'],
  });

  await makeImage(docker, folder, {
    name: 'temporalio/temporal:1.5.1',
    files: { temporal: await temporalCli() },
    script: `
      install -m 755 /from-outside/temporal /usr/local/bin/temporal
      useradd --uid 1000 --create-home temporal`,
    changes: ['USER temporal', 'ENTRYPOINT ["temporal"]'],
  });
}

/** The release of `temporalio/server` in production.yml. */
const temporalVersion = '1.30.1';

/** Go has it: the server was built from it. */
async function temporalSource(): Promise<string> {
  const go = findExecutable(['go'], ['/usr/local/go/bin']) ?? 'go';
  const module = `go.temporal.io/server@v${temporalVersion}`;
  const { Dir } = JSON.parse(await runCommand(go, ['mod', 'download', '-json', module])) as { Dir: string };
  return Dir;
}

export async function makeProductionStandIns(docker: Docker, folder: string): Promise<void> {
  await makeCommonStandIns(docker, folder);
  // Debian's stable release has only MariaDB.
  await makeImage(docker, folder, {
    name: 'mysql:8.4',
    files: { 'docker-entrypoint.sh': scriptAt('mysql-production-entrypoint.sh') },
    script: `
      sed 's/^deb /deb [check-valid-until=no] /; s/bookworm/sid/' /etc/apt/sources.list > /etc/apt/sources.list.d/sid.list
      apt-get update
      DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends mysql-server-core mysql-client-core openssl
      getent passwd mysql || useradd --system --user-group mysql
      install -d -o mysql -g mysql /var/lib/mysql /var/lib/mysql-files /run/mysqld
      install -m 755 /from-outside/docker-entrypoint.sh /usr/local/bin/`,
    changes: ['ENTRYPOINT ["docker-entrypoint.sh"]'],
  });
  await docker.run('tag', 'mysql:8.4', 'percona/percona-server:8.4');

  await makeImage(docker, folder, {
    name: 'haproxy:3.2',
    files: {},
    script: `
      apt-get update
      DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends haproxy tzdata`,
    changes: ['USER haproxy'],
  });

  const { server, sqlTool } = await findTemporalServer(temporalVersion);
  const temporalUser = 'useradd --uid 1000 --create-home temporal';
  await makeImage(docker, folder, {
    name: `temporalio/server:${temporalVersion}`,
    files: { server },
    script: `
      apt-get update
      DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends netcat-openbsd ca-certificates
      install -m 755 /from-outside/server /usr/local/bin/temporal-server
      ${temporalUser}
      mkdir --parents /etc/temporal
      printf '#!/bin/sh\\nexport TEMPORAL_BROADCAST_ADDRESS="$(hostname -i)"\\nexec temporal-server start\\n' \\
        > /etc/temporal/entrypoint.sh
      chmod 755 /etc/temporal/entrypoint.sh`,
    changes: ['USER temporal', 'WORKDIR /etc/temporal'],
  });
  await makeImage(docker, folder, {
    name: `temporalio/admin-tools:${temporalVersion}`,
    files: { temporal: await temporalCli(), sqlTool, schema: join(await temporalSource(), 'schema') },
    script: `
      install -m 755 /from-outside/temporal /usr/local/bin/temporal
      install -m 755 /from-outside/sqlTool /usr/local/bin/temporal-sql-tool
      mkdir --parents /etc/temporal
      cp -r /from-outside/schema /etc/temporal/schema
      ${temporalUser}`,
    changes: ['USER temporal'],
  });
  // Only a page: the UI is not part of the drill.
  await makeImage(docker, folder, {
    name: 'temporalio/ui:2.34.0',
    files: {},
    script: `
      apt-get update
      DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends busybox wget
      mkdir --parents /srv/www
      echo ok > /srv/www/healthz`,
    changes: ['ENTRYPOINT ["busybox", "httpd", "-f", "-p", "8080", "-h", "/srv/www"]'],
  });
}

function makeImage(docker: Docker, folder: string, { name, files, script, changes }: Plan): Promise<void> {
  return step(`making a stand-in for ${name}`, async () => {
    const outside = join(folder, 'files');
    mkdirSync(outside, { recursive: true });
    for (const [as, path] of Object.entries(files))
      cpSync(path, join(outside, as), { recursive: true, verbatimSymlinks: true });
    const volume = `${outside}:/from-outside:ro`;
    await docker.run('run', '--name', 'making', '--volume', volume, base, 'sh', '-euc', script);
    await docker.run('commit', ...changes.flatMap((change) => ['--change', change]), 'making', name);
    await docker.run('rm', 'making');
    await runCommand('rm', ['-rf', outside]);
  });
}
