import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from '../../../tools/sandbox/services/child-process';
import { freePort, isPortFree, unclaimedPort } from '../../../tools/sandbox/services/free-port';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { keptCredentials, providerEnvironment } from '../../../tools/sandbox/credentials';
import { notificationAddresses } from '../../../tools/sandbox/environment';
import { choosePorts } from '../../../tools/sandbox/ports';
import type * as processes from '../../../tools/sandbox/processes';
import type { SandboxDescription } from '../../../tools/sandbox/sandbox-description';
import { makeFolders, sandboxFolder } from '../../../tools/sandbox/sandbox-folder';
import { dropClaim } from '../../../tools/sandbox/services/port-claims';
import { dist, end, portVariables, startIn } from '../../support/sandbox/started';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'malipo-start-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('a chosen port', () => {
  it('is not chosen again, though its server has not started yet', async () => {
    // Of 12,000 ports, 400 random choices would meet in all but a thousandth of runs.
    const ports = await Promise.all(Array.from({ length: 400 }, () => freePort()));
    for (const port of ports) dropClaim(port);
    expect(new Set(ports).size).toBe(400);
  });
});

describe('a used port', () => {
  it('is reported with its holder and the variable that changes ours', async () => {
    const port = await unclaimedPort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const ports = choosePorts({ ...(await portVariables()), MALIPO_API_PORT: String(port) });
    await expect(ports).rejects.toThrow(
      `port ${String(port)}, requested for the API, is used by process ${String(process.pid)}`,
    );
    await expect(ports).rejects.toThrow('MALIPO_API_PORT=');
    await new Promise((resolve) => server.close(resolve));
  });

  it('is replaced by a free one that no page names, if no setting names it, and two starts never choose the same', async () => {
    // Whatever process has it, the port is in use.
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.once('error', () => {
        resolve();
      });
      server.listen(3000, '127.0.0.1', resolve);
    });
    const mine = await choosePorts({});
    expect(mine.api).toBeGreaterThanOrEqual(13_000);
    expect(new Set(Object.values(mine)).size).toBe(Object.keys(mine).length);
    for (const port of Object.values(mine) as number[]) expect(await isPortFree(port)).toBe(true);
    // Free, but claimed: by this process, and then by another one.
    const program = `require(${JSON.stringify(join(dist, 'tools', 'sandbox', 'ports.js'))})
      .choosePorts({}).then((ports) => console.log(JSON.stringify(ports)))`;
    const other = spawn(process.execPath, ['-e', program]);
    let output = '';
    let explained = '';
    other.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    other.stderr.on('data', (chunk: Buffer) => (explained += chunk.toString()));
    await once(other, 'close');
    const theirs = Object.values(JSON.parse(output) as Record<string, number>);
    expect(theirs.filter((port) => Object.values(mine).includes(port))).toEqual([]);
    expect(explained).toMatch(/^port 3000 is used by .*; the API uses \d+; \d+ more moved\n$/);
    await new Promise((resolve) => server.close(resolve));
  });

  it.each(['MALIPO_SIMULATOR_PORT', 'MALIPO_SIMULATOR_XB_PORT'])(
    'does not count as ready if another server answers there: %s',
    async (variable) => {
      const foreign = createHttpServer((_request, response) => response.end('{}'));
      await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
      const port = String((foreign.address() as AddressInfo).port);
      const folder = sandboxFolder(root);
      await makeFolders(folder);
      const url = `http://127.0.0.1:${port}`;
      const env = {
        ...(await portVariables()),
        [variable]: port,
        MALIPO_SIMULATOR_STATE: folder.simulator,
        ...providerEnvironment(await keptCredentials(folder)),
      };
      // As built: the files that it starts are beside it.
      const { ownProcesses } = (await import(
        join(dist, 'tools', 'sandbox', 'processes.js')
      )) as typeof processes;
      const [simulator] = ownProcesses(
        { api: url, ops: url, simulator: url, workerHealth: url, portal: url, portalHealth: url },
        { ...env, ...notificationAddresses(url) },
        folder,
      );
      if (!simulator) throw new Error('there is a simulator');
      await expect(launch(simulator)).rejects.toThrow(
        new RegExp(`ended with code 1 before it was ready:[^]*EADDRINUSE.*:${port}`),
      );
      await new Promise((resolve) => foreign.close(resolve));
    },
  );

  it('is an error if it is not a port', async () => {
    await expect(choosePorts({ MALIPO_SIMULATOR_PORT: 'http' })).rejects.toThrow(
      'MALIPO_SIMULATOR_PORT must end in a port',
    );
  });
});

describe('npm start', () => {
  it('twice at once, in two clones, starts both, each on its own ports', async () => {
    const clones = ['one', 'two'].map((name) => join(root, name));
    for (const clone of clones) mkdirSync(clone);
    const starts = clones.map((clone) => startIn(clone, {}, '--no-demo'));
    try {
      await Promise.all(
        starts.map(({ output }) =>
          waitFor(() => Promise.resolve(/Ctrl-C stops|✗/.test(output.text)), {
            what: 'a start beside another',
            timeoutMs: 200_000,
          }),
        ),
      );
      for (const { output } of starts) expect(output.text).toContain('Malipo is running');
      const [one, two] = clones.map(
        (clone) =>
          JSON.parse(readFileSync(join(clone, '.malipo', 'sandbox.json'), 'utf8')) as SandboxDescription,
      );
      if (!one || !two) throw new Error('there are two');
      const urlsOf = (sandbox: SandboxDescription) => {
        const { api_url, ops_url, simulator_url, temporal_address, temporal_ui_url, providers } = sandbox;
        const origins = Object.values(providers).map(({ base_url: url }) => url);
        return [api_url, ops_url, simulator_url, temporal_address, temporal_ui_url, ...origins];
      };
      expect(urlsOf(one).filter((url) => urlsOf(two).includes(url))).toEqual([]);
      // Each knows its own merchants, and not the other's.
      const answers = [one, two].flatMap((sandbox) =>
        [one, two].map(async ({ merchants: [merchant] }) => {
          const { status } = await fetch(`${sandbox.api_url}/api/v1/query_balance`, {
            headers: { 'x-api-key': merchant?.api_key ?? '', 'x-api-secret': merchant?.api_secret ?? '' },
          });
          return status;
        }),
      );
      expect(await Promise.all(answers)).toEqual([200, 401, 401, 200]);
      expect(await Promise.all(starts.map(({ child }) => end(child)))).toEqual([0, 0]);
    } finally {
      await Promise.all(starts.map(({ child }) => end(child)));
    }
  });
});
