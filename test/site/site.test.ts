/** The documentation as the build writes it and the operations port serves it. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorResponses, PaymentError } from '../../src/domain/errors';
import { errorBody } from '../../src/http/errors';
import { createOpsApp } from '../../src/http/health';
import { listen, type Listening } from '../../src/http/listen';
import { createMetrics } from '../../src/ops/metrics';
import { startTestBench } from '../simulator/support/bench';
import { silentLog } from '../support/silent-log';

const root = join(__dirname, '..', '..');
const siteFolder = join(root, 'dist', 'site');
const pages = readdirSync(siteFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
const textOf = (name: string) => readFileSync(join(siteFolder, name), 'utf8');

describe('the pages', () => {
  it('have a link to nothing that is not there, and load nothing from elsewhere', () => {
    expect(pages.length).toBeGreaterThan(15);
    const lost = pages.flatMap((name) => {
      const text = textOf(name);
      const targets = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = '']) => target);
      return targets
        .filter((target) => {
          if (target.startsWith('https://')) return false;
          const [path = '', anchor] = target.split('#');
          const file = path === '' ? name : join(dirname(name), path);
          if (!existsSync(join(siteFolder, file))) return true;
          return anchor !== undefined && !textOf(file).includes(`id="${anchor}"`);
        })
        .map((target) => `${name}: ${target}`);
    });
    expect(lost).toEqual([]);
    for (const name of pages) {
      const loaded = [...textOf(name).matchAll(/<(?:script|img|iframe|style)\b|\sstyle="|\son\w+="/g)];
      expect([name, loaded.map(([tag]) => tag)]).toEqual([name, []]);
      expect(textOf(name).match(/<h1/g)).toHaveLength(1);
    }
  });

  it('tell every operation and webhook of the description', () => {
    const description = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
      webhooks: Record<string, { post: { operationId: string; tags: string[] } }>;
    };
    const told = [
      ...Object.values(description.paths).flatMap((item) =>
        Object.entries(item)
          .filter(([method]) => method !== 'head')
          .map(([, one]) => one),
      ),
      ...Object.values(description.webhooks).map(({ post }) => post),
    ];
    const missing = told.filter(({ operationId, tags: [tag = ''] }) => {
      return !textOf(`reference/${tag}.html`).includes(`id="${operationId}"`);
    });
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('come with a collection for Postman that has every operation which a merchant calls', () => {
    const { item } = JSON.parse(textOf('malipo.postman_collection.json')) as {
      item: { item: { id: string; request: { body?: { raw: string } } }[] }[];
    };
    const inCollection = item.flatMap((folder) => folder.item);
    const { paths, components } = JSON.parse(textOf('openapi.json')) as {
      paths: Record<string, Record<string, { operationId: string; security: object[] }>>;
      components: { schemas: Record<string, { required?: string[] }> };
    };
    const called = Object.values(paths)
      .flatMap((one) => Object.values(one))
      .filter(({ security }) => security.some((keys) => Object.keys(keys).length > 0));
    const ids = inCollection.map(({ id }) => id);
    expect(called.map(({ operationId }) => operationId).filter((id) => !ids.includes(id))).toEqual([]);
    const push = inCollection.find(({ id }) => id === 'stkPush');
    const required = components.schemas['StkPushRequest']?.required ?? [];
    expect(Object.keys(JSON.parse(push?.request.body?.raw ?? '{}') as object)).toEqual(
      expect.arrayContaining(required),
    );
    // Keys belong into its variables.
    expect(textOf('malipo.postman_collection.json')).not.toContain('sk_test_');
  });

  it('have a place for every error code', () => {
    const text = textOf('errors.html');
    expect(Object.keys(errorResponses).filter((code) => !text.includes(`id="${code}"`))).toEqual([]);
  });

  it('list every scenario of the sandbox with its value', async () => {
    const bench = await startTestBench();
    const answer = await fetch(`${bench.simulator.url}/control/scenarios`);
    const { scenarios } = (await answer.json()) as {
      scenarios: { name: string; value: string; behaviour: string }[];
    };
    await bench.stop();
    const text = readFileSync(join(root, 'src/ops/site/guides/03-sandbox.md'), 'utf8').replace(/ +/g, ' ');
    const missing = scenarios.filter(
      ({ name, value, behaviour }) => !text.includes(`| \`${name}\` | \`${value}\` | ${behaviour} |`),
    );
    expect(missing).toEqual([]);
    expect(text.match(/^\| `/gm)).toHaveLength(scenarios.length);
  });
});

describe('doc_url of an error', () => {
  it('leads to a place of the page of errors, where the deployment names its documentation', () => {
    const error = new PaymentError('PAYMENT_NOT_FOUND');
    const told = errorBody(error, { timezone: 'UTC', docsUrl: 'https://docs.example.org' });
    expect(told['doc_url']).toBe('https://docs.example.org/errors.html#PAYMENT_NOT_FOUND');
    expect(textOf('errors.html')).toContain('id="PAYMENT_NOT_FOUND"');
    expect(errorBody(error, { timezone: 'UTC' })).not.toHaveProperty('doc_url');
  });
});

describe('GET /docs on the operations port', () => {
  let ops: Listening;
  let url: string;
  beforeAll(async () => {
    const app = createOpsApp({ readiness: [], metrics: createMetrics(), log: silentLog, siteFolder });
    ops = await listen(app, { host: '127.0.0.1', port: 0, drainIdleMs: 0 });
    url = `http://127.0.0.1:${String(ops.port)}`;
  });
  afterAll(() => ops.close());

  it.each([
    ['/docs/', 'text/html; charset=utf-8'],
    ['/docs/errors.html', 'text/html; charset=utf-8'],
    ['/docs/guides/webhooks.html', 'text/html; charset=utf-8'],
    ['/docs/style.css', 'text/css; charset=utf-8'],
    ['/docs/openapi.json', 'application/json; charset=utf-8'],
  ])('%s is served, and nothing in it may run', async (path, type) => {
    const { status, headers } = await fetch(`${url}${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('leads /docs on, and answers 404 for what is no page of it', async () => {
    const { status, headers } = await fetch(`${url}/docs`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([308, '/docs/']);
    for (const path of [
      '/docs/none.html',
      '/docs/..%2f..%2fpackage.json',
      '/docs/%2e%2e/package.json',
      '/docs//[',
    ]) {
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await fetch(`${url}/docs/`, { method: 'POST' })).status).toBe(404);
  });
});
