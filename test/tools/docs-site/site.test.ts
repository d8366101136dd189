/** The documentation as the build writes it and the operations port serves it. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorResponses, PaymentError } from '../../../src/domain/errors';
import { errorBody } from '../../../src/api/errors';
import { createOpsApp } from '../../../src/api/health';
import { listen, type Listening } from '../../../src/api/listen';
import { createMetrics } from '../../../src/telemetry/metrics';
import { momoCurrencies } from '../../../src/rails/momo/network';
import { railDefinitions } from '../../../src/rails';
import { stkNextSteps } from '../../../src/rails/stk/status';
import { startTestBench } from '../../support/simulator/bench';
import { silentLog } from '../../support/silent-log';

const root = join(__dirname, '..', '..', '..');
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
      const loaded = [
        ...textOf(name).matchAll(/<(?:script|img|iframe|style)\b[^>]*>|\sstyle="|\son\w+="/g),
      ].map(([tag]) => tag);
      const ours = ['<script src="redoc.standalone.js">', '<script src="draw.js">'];
      expect([name, loaded]).toEqual([name, name === 'reference/index.html' ? ours : []]);
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
    const drawn = textOf('reference/openapi.json');
    const missing = told.filter(({ operationId }) => !drawn.includes(`"operationId":"${operationId}"`));
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
    // The page tells them before its script has run, too.
    const lines = textOf('reference/index.html').match(/<li>/g);
    expect(lines).toHaveLength(told.length);
  });

  it('have a link to each refusal in the reference, and a command for each call', () => {
    const { paths } = JSON.parse(textOf('reference/openapi.json')) as {
      paths: Record<string, Record<string, { description: string; 'x-codeSamples'?: { source: string }[] }>>;
    };
    const push = paths['/api/v1/stk_push']?.['post'];
    expect(push?.description).toContain('[DUPLICATE_PAYMENT](../errors.html#DUPLICATE_PAYMENT)');
    const [sample] = push?.['x-codeSamples'] ?? [];
    expect(sample?.source).toContain('"Idempotency-Key: order-$RANDOM$RANDOM"');
    const one = paths['/api/v1/payments/{payment_id}']?.['get']?.['x-codeSamples']?.[0]?.source ?? '';
    expect(one).toMatch(/^curl -s "\$API\/api\/v1\/payments\/[\da-f-]{36}" /);
    expect(paths['/api/v1/statement']?.['get']?.['x-codeSamples']?.[0]?.source).toContain('?from=');
  });

  it('tell each rail by its own tables', () => {
    const stk = textOf('rails/stk-push.html');
    for (const code of Object.keys(stkNextSteps.deposit)) expect(stk).toContain(`<code>${code}</code>`);
    expect(stk).toContain('after 20 seconds, 35 seconds, 50 seconds and so on, up to 5 minutes');
    for (const currency of momoCurrencies) expect(textOf('rails/mobile-money.html')).toContain(currency);
    expect(textOf('rails/wallet-checkout.html')).toContain('at once, 3 days, 14 days, 27 days');
    expect(textOf('rails/vouchers.html')).toContain('after 90 days');
    for (const name of pages) expect(textOf(name)).not.toContain('<!-- table');
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
    const text = railDefinitions
      .map(({ name }) =>
        readFileSync(join(root, 'src', 'rails', name, 'guide.md'), 'utf8').replace(/ +/g, ' '),
      )
      .join('\n');
    const missing = scenarios.filter(
      ({ name, value, behaviour }) => !text.includes(`| \`${name}\` | \`${value}\` | ${behaviour} |`),
    );
    expect(missing).toEqual([]);
    expect(text.match(/^\| `\w+\.[\w.-]+` \|/gm)).toHaveLength(scenarios.length);
  });

  it('tell what to do about each answer that is neither taken nor plainly wrong', () => {
    const guide = textOf('guides/idempotency.html');
    const codes = Object.entries(errorResponses)
      .filter(([, { status }]) => [409, 422, 429].includes(status) || status >= 500)
      .map(([code]) => code);
    expect(codes.filter((code) => !guide.includes(`<code>${code}</code>`))).toEqual([]);
  });

  it('have guides whose links work in the repository as well', () => {
    const files = [
      ...readdirSync(join(root, 'docs', 'guides'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => join('docs', 'guides', name)),
      ...railDefinitions.map(({ name }) => join('src', 'rails', name, 'guide.md')),
    ];
    const lost = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const targets = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
      return targets.filter((target) => !existsSync(join(root, dirname(file), target)));
    });
    expect(lost).toEqual([]);
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
    ['/docs/rails/stk-push.html', 'text/html; charset=utf-8'],
  ])('%s is served, and nothing in it may run', async (path, type) => {
    const { status, headers } = await fetch(`${url}${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'(?!.*script-src)/);
  });

  it.each([
    ['/docs/reference/', 'text/html; charset=utf-8'],
    ['/docs/reference/redoc.standalone.js', 'text/javascript; charset=utf-8'],
    ['/docs/reference/draw.js', 'text/javascript; charset=utf-8'],
  ])('%s is served, and only what comes with it may run', async (path, type) => {
    const { status, headers } = await fetch(`${url}${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|https?:/);
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
