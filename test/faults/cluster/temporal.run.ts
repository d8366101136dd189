/** A real Temporal cluster: who is let in, and what becomes of workflows when its parts die under them. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import {
  clusterCertificates,
  newAuthority,
  writeTlsFiles,
  type ClusterCertificates,
  type TlsFiles,
} from '../../../tools/cluster/certificates';
import { findTemporalServer } from '../../../tools/cluster/find-temporal-server';
import { startTemporalCluster, type TemporalCluster } from '../../../tools/cluster/temporal';
import { serviceNames, type ServiceName } from '../../../tools/cluster/temporal-ports';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { searchAttributes } from '../../../src/domain/search-attributes';
import { dist } from '../../support/sandbox/started';
import type { waiting } from './waiting-workflow';

const taskQueue = 'waiting';
/** Of whatever is awaited here: everything is ten times slower beside a load. */
const timeoutMs = 180_000;

let folder: string;
let certificates: ClusterCertificates;
let cluster: TemporalCluster;
let connection: Connection;
let client: Client;
let workerConnection: NativeConnection | undefined;
let worker: Worker | undefined;
let working: Promise<void> | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-cluster-'));
  certificates = await clusterCertificates(join(folder, 'certificates'));
  cluster = await startTemporalCluster({ folder: join(folder, 'temporal'), certificates, each: 1 });
  connection = await Connection.connect(cluster.connection);
  client = new Client({ connection, namespace: cluster.namespace });
  workerConnection = await NativeConnection.connect(cluster.connection);
  worker = await Worker.create({
    connection: workerConnection,
    namespace: cluster.namespace,
    taskQueue,
    workflowsPath: require.resolve('./waiting-workflow'),
    activities: { answer: (name: string) => Promise.resolve(`${name} went on`) },
  });
  working = worker.run();
}, 600_000);

afterAll(async () => {
  worker?.shutdown();
  await working;
  await workerConnection?.close();
  await connection.close();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}, timeoutMs);

/** There is one of each: while it is away, nobody stands in for it. */
function processOf(service: ServiceName) {
  const found = cluster.services.find(({ instance }) => instance.service === service);
  if (!found) throw new Error(`there is no ${service}`);
  return found;
}

async function start(name: string, sleepMs = 100): Promise<WorkflowHandle<typeof waiting>> {
  return client.workflow.start<typeof waiting>('waiting', {
    workflowId: `waiting:${name}`,
    taskQueue,
    args: [name, sleepMs],
    typedSearchAttributes: [{ key: searchAttributes.reference, value: name }],
  });
}

/** Calls fail while a part of the cluster is away; sooner or later one does not. */
async function finish(handle: WorkflowHandle<typeof waiting>): Promise<string> {
  const trying = <T>(what: string, call: () => Promise<T>) =>
    waitFor(async () => [await connection.withDeadline(Date.now() + 20_000, call)] as const, {
      what: `${what} ${handle.workflowId}`,
      timeoutMs,
      everyMs: 200,
    });
  await trying('the signal to', () => handle.signal('goOn'));
  const [result] = await trying('the end of', () => handle.result());
  return result;
}

/** @returns "let in", or why not: a server of gRPC speaks first, and says nothing to whom it refuses. */
function knock(port: number, servername: string, shown: { ca: string } | TlsFiles): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername,
    ALPNProtocols: ['h2'],
    ca: readFileSync('ca' in shown ? shown.ca : shown.caFile),
    ...('certFile' in shown && { cert: readFileSync(shown.certFile), key: readFileSync(shown.keyFile) }),
  });
  return new Promise<string>((resolve) => {
    socket.once('data', () => {
      resolve('let in');
    });
    socket.once('error', ({ message }: Error) => {
      resolve(message);
    });
    socket.once('close', () => {
      resolve('closed without a word');
    });
  }).finally(() => {
    socket.destroy();
  });
}

describe('the frontend', () => {
  const atTheDoor = (shown: { ca: string } | TlsFiles) =>
    knock(cluster.ports.door, 'temporal-frontend', shown);

  it('answers whoever has a certificate of its authority, and finds workflows by our search attributes', async () => {
    expect(await atTheDoor(certificates.temporal.client)).toBe('let in');
    const handle = await start('found');
    await waitFor(async () => (await client.workflow.count("MalipoReference = 'found'")).count === 1, {
      what: 'the workflow to be found',
      timeoutMs,
    });
    expect(await finish(handle)).toBe('found went on');
  });

  it('refuses a client without a certificate, one of another authority, and one that speaks no TLS', async () => {
    const { client: ours } = certificates.temporal;
    expect(await atTheDoor({ ca: ours.caFile })).toContain('certificate required');
    const stranger = await newAuthority('Malipo Temporal CA');
    const forged = await writeTlsFiles(
      join(folder, 'stranger'),
      'client',
      await stranger.issue({ commonName: 'malipo', uses: ['client'] }),
      [readFileSync(ours.caFile, 'utf8')],
    );
    expect(await atTheDoor(forged)).toMatch(/unknown ca|bad certificate/);
    const ofTheDatabase = { ...certificates.postgres.client, caFile: ours.caFile };
    expect(await atTheDoor(ofTheDatabase)).toMatch(/unknown ca|bad certificate/);
    await expect(Connection.connect({ address: cluster.address, connectTimeout: 5_000 })).rejects.toThrow();
  });
});

describe('the services behind the frontend', () => {
  it.each(['history', 'matching'] as const)('%s refuses who may call the frontend', async (name) => {
    const { client: ours, internode } = certificates.temporal;
    const atTheDoor = (shown: TlsFiles) => knock(processOf(name).instance.grpc, 'temporal-internode', shown);
    expect(await atTheDoor(internode)).toBe('let in');
    expect(await atTheDoor({ ...ours, caFile: internode.caFile })).toMatch(/unknown ca|bad certificate/);
  });
});

describe('the settings of the cluster', () => {
  it('are known to the server, all of them', async () => {
    const { server } = await findTemporalServer();
    const file = join(folder, 'temporal', 'config', 'dynamic.yaml');
    const output = await runCommand(server, ['validate-dynamic-config', file]);
    expect(output.trim()).toBe(file);
  });

  it('let every service tell Prometheus of itself', async () => {
    for (const { instance } of cluster.services) {
      const response = await fetch(`http://127.0.0.1:${String(instance.metrics)}/metrics`);
      expect(await response.text()).toContain(`service_name="${instance.service}"`);
    }
  });
});

describe('workflows that wait', () => {
  it.each(serviceNames)('go on when %s is killed under them, and its successor is there', async (name) => {
    const service = processOf(name);
    const waitingLong = await start(`${name}-signalled`);
    // Its timer comes due while the service is away.
    const sleeping = await start(`${name}-sleeping`, 1_000);
    const before = service.pid;
    service.kill('SIGKILL');
    await service.restart();
    expect(service.pid).not.toBe(before);
    await cluster.ready();
    expect(await finish(waitingLong)).toBe(`${name}-signalled went on`);
    expect(await finish(sleeping)).toBe(`${name}-sleeping went on`);
  });

  it('go on when PostgreSQL is killed and comes back, with all that was committed', async () => {
    const kept = await start('kept');
    cluster.postgres.kill('SIGKILL');
    await cluster.postgres.restart();
    await cluster.ready();
    expect(await finish(kept)).toBe('kept went on');
  });

  it('go on when the whole cluster is killed at once', async () => {
    const kept = await start('killed-with-all');
    for (const service of cluster.services) service.kill('SIGKILL');
    cluster.postgres.kill('SIGKILL');
    await cluster.postgres.restart();
    await Promise.all(cluster.services.map((service) => service.restart()));
    await cluster.ready();
    expect(await finish(kept)).toBe('killed-with-all went on');
  });
});

describe('a cluster whose starter is killed outright', () => {
  it('ends by itself, and in order: PostgreSQL has taken back its lock', async () => {
    const own = join(folder, 'orphaned');
    const starter = spawn(process.execPath, ['-e', starting, own], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    starter.stdout.on('data', (data: Buffer) => (said += data.toString()));
    await waitFor(() => Promise.resolve(said.includes('\n')), { what: 'the other cluster', timeoutMs });
    const pids = JSON.parse(said) as number[];
    const lock = join(own, 'temporal', 'postgres', 'data', 'postmaster.pid');
    expect(pids.filter(isAlive)).toHaveLength(6);
    expect(existsSync(lock)).toBe(true);
    starter.kill('SIGKILL');
    await waitFor(() => Promise.resolve(!pids.some(isAlive) && !existsSync(lock)), {
      what: 'the end of the other cluster',
      timeoutMs,
    });
    // What was in it is there again, at other ports and with other certificates.
    const again = await startTemporalCluster({ folder: join(own, 'temporal'), certificates, each: 1 });
    await again.stop();
    expect(existsSync(lock)).toBe(false);
  });
});

/** Run as its own process, from what `npm run test:cluster` has built: prints the ids of what it started. */
const starting = `
  const { clusterCertificates } = require(${JSON.stringify(join(dist, 'tools/cluster/certificates.js'))});
  const { startTemporalCluster } = require(${JSON.stringify(join(dist, 'tools/cluster/temporal.js'))});
  (async () => {
    const certificates = await clusterCertificates(process.argv[1] + '/certificates');
    const { postgres, door, services } = await startTemporalCluster({ folder: process.argv[1] + '/temporal', certificates, each: 1 });
    console.log(JSON.stringify([postgres, door, ...services].map(({ pid }) => pid)));
    setInterval(() => {}, 1000);
  })();
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
