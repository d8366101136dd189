import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { obstacle } from '../../../tools/sandbox/deployment-guard';

interface Container {
  Names: string[];
  /** By default another program's. */
  Image?: string;
  Labels: Record<string, string>;
}

interface Volume {
  Name: string;
  Labels: Record<string, string> | null;
}

const of = (project: string) => ({ 'com.docker.compose.project': project });
const ours: Volume = { Name: 'malipo-sandbox_sandbox-database', Labels: of('malipo-sandbox') };

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-guard-'));
});
afterEach(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
  rmSync(folder, { recursive: true });
});

/** Answers as Docker does: containers that run, or all of them; every volume. */
async function docker(
  containers: (Container & { running?: boolean })[],
  volumes: Volume[] | null,
): Promise<string> {
  const socket = join(folder, 'docker.sock');
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://docker');
    const answers: Record<string, unknown> = {
      '/containers/json': containers
        .map((container) => ({ Image: 'mysql:8.4', ...container }))
        .filter(({ running = true }) => running || searchParams.get('all') === 'true'),
      '/volumes': { Volumes: volumes, Warnings: null },
    };
    response.statusCode = request.method === 'GET' && pathname in answers ? 200 : 404;
    response.end(JSON.stringify(answers[pathname] ?? { message: 'page not found' }));
  });
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
  return socket;
}

describe('the guard of the sandbox in containers', () => {
  it('lets the sandbox start beside its own containers and volumes, and those of others', async () => {
    const containers = [
      { Names: ['/malipo-sandbox-sandbox-1'], Image: 'malipo-sandbox', Labels: of('malipo-sandbox') },
      { Names: ['/malipo-api-1'], Labels: of('another') },
      { Names: ['/by-hand'], Labels: {} },
    ];
    const others: Volume[] = [
      { Name: 'shop_mysql', Labels: of('shop') },
      // Of `npm start`, whose database may run in Docker.
      { Name: 'malipo-sandbox-0123456789ab_mysql', Labels: of('malipo-sandbox-0123456789ab') },
      { Name: 'malipo', Labels: null },
    ];
    expect(await obstacle(await docker(containers, [ours, ...others]))).toBeUndefined();
  });

  it.each(['malipo:latest', 'registry.example.com/malipo:1.0.0', 'malipo@sha256:0123'])(
    'refuses beside a deployment under another project name, with the image %s',
    async (image) => {
      const container = { Names: ['/pay-api-1'], Image: image, Labels: of('pay') };
      expect(await obstacle(await docker([container], [ours]))).toContain('(the container pay-api-1)');
    },
  );

  it('lets it start where Docker has nothing', async () => {
    expect(await obstacle(await docker([], null))).toBeUndefined();
  });

  it.each([true, false])('refuses beside a container of a deployment, running: %s', async (running) => {
    const container = { Names: ['/malipo-api-1'], Labels: of('malipo'), running };
    const sentence = await obstacle(await docker([container], [ours]));
    expect(sentence).toContain('has a deployment of Malipo (the container malipo-api-1)');
    expect(sentence?.split('\n')).toHaveLength(1);
  });

  it.each([
    ['a volume of a deployment', { Name: 'malipo_mysql', Labels: of('malipo') }],
    ['a volume under another name', { Name: 'of-2025', Labels: of('malipo') }],
    ['a volume that was restored by hand', { Name: 'malipo_mysql', Labels: null }],
  ])('refuses beside %s', async (_what, volume) => {
    expect(await obstacle(await docker([], [ours, volume]))).toContain(`(the volume ${volume.Name})`);
  });

  it('refuses if Docker does not answer, or answers something else', async () => {
    expect(await obstacle(join(folder, 'nothing.sock'))).toContain('MALIPO_DOCKER_SOCKET');
    const socket = join(folder, 'other.sock');
    server = createServer((_request, response) => {
      response.statusCode = 403;
      response.end('no');
    });
    await new Promise<void>((resolve) => server?.listen(socket, resolve));
    expect(await obstacle(socket)).toContain('answered 403');
  });
});
