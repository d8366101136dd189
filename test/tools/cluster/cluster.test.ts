import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJsonIfThere } from '../../../src/cli/kept-sandbox';
import { settingsOf } from '../../../src/cli/settings';
import { clusterCertificates } from '../../../tools/cluster/certificates';
import { readClusterOptions } from '../../../tools/cluster/options';
import { temporalProxy } from '../../../tools/cluster/temporal-proxy';
import { findHaproxy } from '../../../tools/sandbox/services/find-haproxy';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { keptCredentials } from '../../../tools/sandbox/credentials';
import type { SandboxDescription } from '../../../tools/sandbox/sandbox-description';
import {
  clusterFolder,
  emptyFolder,
  makeFolders,
  sandboxFolder,
  writeSecretJson,
  type SandboxFolder,
} from '../../../tools/sandbox/sandbox-folder';
import { forEachProvider } from '../../../tools/sandbox/simulated-providers';

describe('npm run cluster -- <options>', () => {
  it('accepts the options of npm start, and the numbers of processes', () => {
    expect(readClusterOptions([])).toEqual({
      fresh: false,
      demo: true,
      apis: 2,
      workers: 3,
      temporal: 2,
    });
    expect(readClusterOptions(['--apis', '4', '--no-demo', '--workers', '1', '--temporal', '3'])).toEqual({
      fresh: false,
      demo: false,
      apis: 4,
      workers: 1,
      temporal: 3,
    });
  });

  it.each([['--apis'], ['--apis', '0'], ['--workers', 'many'], ['--workers', '1.5'], ['--quick']])(
    'prints its usage for %s %s',
    (...args) => {
      expect(() => readClusterOptions(args)).toThrow('usage: npm run cluster');
    },
  );
});

describe("the balancer before Temporal's frontends", () => {
  it('has settings that HAProxy accepts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'malipo-frontends-'));
    const { temporal } = await clusterCertificates(folder);
    const instance = {
      name: 'frontend-1',
      service: 'frontend',
      grpc: 7233,
      membership: 6933,
      metrics: 9090,
    } as const;
    const program = await findHaproxy();
    const [port, logFile] = [7230, join(folder, 'log')];
    await temporalProxy({ program, folder, port, frontends: [instance], client: temporal.client, logFile });
    await runCommand(program, ['-c', '-f', join(folder, 'haproxy.cfg')]);
    rmSync(folder, { recursive: true });
  });
});

describe('the folder of the cluster', () => {
  let root: string;
  const description = (apiUrl: string, settings: Record<string, string> = {}): SandboxDescription => ({
    api_url: apiUrl,
    ops_url: 'http://127.0.0.1:3100',
    simulator_url: 'http://127.0.0.1:3001',
    temporal_address: '127.0.0.1:7233',
    temporal_ui_url: 'http://127.0.0.1:8233',
    database_url: 'mysql://malipo:x@localhost:1/malipo',
    settings,
    merchants: [],
    providers: {
      ...forEachProvider(() => ({ base_url: 'http://127.0.0.1:1' })),
      cardproc: { base_url: 'http://127.0.0.1:1', direct: { consumer_key: '', consumer_secret: '' } },
    },
  });
  async function describeIn(folder: SandboxFolder, about: SandboxDescription): Promise<void> {
    await makeFolders(folder);
    await keptCredentials(folder);
    await writeSecretJson(folder.description, about);
  }
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'malipo-cluster-'));
    await describeIn(sandboxFolder(root), description('http://127.0.0.1:1111'));
    const line = { TEMPORAL_NAMESPACE: 'malipo', TEMPORAL_TLS_SERVER_NAME: 'a-name' };
    await describeIn(clusterFolder(root), description('http://127.0.0.1:2222', line));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('is used by malipo with MALIPO_TARGET=cluster, with its connection settings', async () => {
    const settings = await settingsOf({ MALIPO_TARGET: 'cluster' }, root);
    expect(settings).toMatchObject({
      MALIPO_PUBLIC_URL: 'http://127.0.0.1:2222',
      TEMPORAL_NAMESPACE: 'malipo',
      TEMPORAL_TLS_SERVER_NAME: 'a-name',
    });
    const usual = await settingsOf({}, root);
    expect(usual).toMatchObject({ MALIPO_PUBLIC_URL: 'http://127.0.0.1:1111' });
    expect(usual).not.toHaveProperty('TEMPORAL_NAMESPACE');
  });

  it('gives no setting to a deployment that the environment names', async () => {
    const env = { MALIPO_ENV: 'live', MALIPO_TARGET: 'cluster' };
    expect(await settingsOf(env, root)).toEqual(env);
  });

  it('is empty after `npm run cluster -- --fresh`, which leaves the sandbox beside it unchanged', async () => {
    const { path, lock } = clusterFolder(root);
    writeFileSync(lock, 'of the start that empties it');
    mkdirSync(join(path, 'temporal', 'postgres', 'data'), { recursive: true });
    await emptyFolder(clusterFolder(root));
    expect(readdirSync(path)).toEqual(['start.lock']);
    expect(await readJsonIfThere(sandboxFolder(root).description)).toBeDefined();
  });

  it('survives `npm start -- --fresh` beside it', async () => {
    await emptyFolder(sandboxFolder(root));
    expect(await readJsonIfThere(sandboxFolder(root).description)).toBeUndefined();
    expect(await readJsonIfThere(clusterFolder(root).description)).toBeDefined();
  });
});
