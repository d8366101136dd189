/** A real Temporal cluster: which clients are admitted, and what happens to workflows when its parts are killed. */
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
import { isAlive } from '../../../tools/sandbox/services/process-identity';
import { searchAttributes } from '../../../src/domain/search-attributes';
import { dist } from '../../support/sandbox/started';
import type { waiting } from './waiting-workflow';

const taskQueue = 'waiting';
/** For every wait here: everything is ten times slower under load. */
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

/** There is one of each: nothing replaces it while it is down. */
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

/** Calls fail while a part of the cluster is down; sooner or later one succeeds. */
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

/** @returns "let in", or the reason: a gRPC server sends first, and sends nothing to a rejected client. */
function tryAdmit(port: number, servername: string, shown: { ca: string } | TlsFiles): Promise<string> {
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
  const atTheProxy = (shown: { ca: string } | TlsFiles) =>
    tryAdmit(cluster.ports.api, 'temporal-frontend', shown);

  it('answers any client with a certificate of its authority, and finds workflows by our search attributes', async () => {
    expect(await atTheProxy(certificates.temporal.client)).toBe('let in');
    const handle = await start('found');
    await waitFor(async () => (await client.workflow.count("MalipoReference = 'found'")).count === 1, {
      what: 'the workflow to be found',
      timeoutMs,
    });
    expect(await finish(handle)).toBe('found went on');
  });

  it('rejects a client without a certificate, with another authority’s, and without TLS', async () => {
    const { client: ours } = certificates.temporal;
    expect(await atTheProxy({ ca: ours.caFile })).toContain('certificate required');
    const otherAuthority = await newAuthority('Malipo Temporal CA');
    const forged = await writeTlsFiles(
      join(folder, 'stranger'),
      'client',
      await otherAuthority.issue({ commonName: 'malipo', uses: ['client'] }),
      [readFileSync(ours.caFile, 'utf8')],
    );
    expect(await atTheProxy(forged)).toMatch(/unknown ca|bad certificate/);
    const ofTheDatabase = { ...certificates.postgres.client, caFile: ours.caFile };
    expect(await atTheProxy(ofTheDatabase)).toMatch(/unknown ca|bad certificate/);
    await expect(Connection.connect({ address: cluster.address, connectTimeout: 5_000 })).rejects.toThrow();
  });
});

describe('the services behind the frontend', () => {
  it.each(['history', 'matching'] as const)('%s rejects a client of the frontend', async (name) => {
    const { client: ours, internode } = certificates.temporal;
    const atTheProxy = (shown: TlsFiles) =>
      tryAdmit(processOf(name).instance.grpc, 'temporal-internode', shown);
    expect(await atTheProxy(internode)).toBe('let in');
    expect(await atTheProxy({ ...ours, caFile: internode.caFile })).toMatch(/unknown ca|bad certificate/);
  });
});

describe('the settings of the cluster', () => {
  it('are all known to the server', async () => {
    const { server } = await findTemporalServer();
    const file = join(folder, 'temporal', 'config', 'dynamic.yaml');
    const output = await runCommand(server, ['validate-dynamic-config', file]);
    expect(output.trim()).toBe(file);
  });

  it('export every service’s metrics to Prometheus', async () => {
    for (const { instance } of cluster.services) {
      const response = await fetch(`http://127.0.0.1:${String(instance.metrics)}/metrics`);
      expect(await response.text()).toContain(`service_name="${instance.service}"`);
    }
  });
});

describe('waiting workflows', () => {
  it.each(serviceNames)('continue when %s is killed and replaced', async (name) => {
    const service = processOf(name);
    const waitingLong = await start(`${name}-signalled`);
    // Its timer fires while the service is down.
    const sleeping = await start(`${name}-sleeping`, 1_000);
    const before = service.pid;
    service.kill('SIGKILL');
    await service.restart();
    expect(service.pid).not.toBe(before);
    await cluster.ready();
    expect(await finish(waitingLong)).toBe(`${name}-signalled went on`);
    expect(await finish(sleeping)).toBe(`${name}-sleeping went on`);
  });

  it('continue when PostgreSQL is killed and restarted, with all committed data', async () => {
    const kept = await start('kept');
    cluster.postgres.kill('SIGKILL');
    await cluster.postgres.restart();
    await cluster.ready();
    expect(await finish(kept)).toBe('kept went on');
  });

  it('continue when the whole cluster is killed at once', async () => {
    const kept = await start('killed-with-all');
    for (const service of cluster.services) service.kill('SIGKILL');
    cluster.postgres.kill('SIGKILL');
    await cluster.postgres.restart();
    await Promise.all(cluster.services.map((service) => service.restart()));
    await cluster.ready();
    expect(await finish(kept)).toBe('killed-with-all went on');
  });
});

describe('a cluster whose starter is killed', () => {
  it('stops by itself, in order: PostgreSQL has removed its lock file', async () => {
    const own = join(folder, 'orphaned');
    const starter = spawn(process.execPath, ['-e', starting, own], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    starter.stdout.on('data', (data: Buffer) => (printed += data.toString()));
    await waitFor(() => Promise.resolve(printed.includes('\n')), { what: 'the other cluster', timeoutMs });
    const pids = JSON.parse(printed) as number[];
    const lock = join(own, 'temporal', 'postgres', 'data', 'postmaster.pid');
    expect(pids.filter(isAlive)).toHaveLength(6);
    expect(existsSync(lock)).toBe(true);
    starter.kill('SIGKILL');
    await waitFor(() => Promise.resolve(!pids.some(isAlive) && !existsSync(lock)), {
      what: 'the end of the other cluster',
      timeoutMs,
    });
    // Its data is there again, with other ports and certificates.
    const again = await startTemporalCluster({ folder: join(own, 'temporal'), certificates, each: 1 });
    await again.stop();
    expect(existsSync(lock)).toBe(false);
  });
});

/** A separate process, from the build of `npm run test:cluster`: prints the ids of what it started. */
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
