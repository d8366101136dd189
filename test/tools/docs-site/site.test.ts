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
import { specifiedRails } from '../../support/specified-endpoints';
import { startTestBench } from '../../support/simulator/bench';
import { silentLog } from '../../support/silent-log';

const root = join(__dirname, '..', '..', '..');
const siteFolder = join(root, 'dist', 'site');
const pages = readdirSync(siteFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
const textOf = (name: string) => readFileSync(join(siteFolder, name), 'utf8');

describe('the pages', () => {
  it('have no broken link, and load nothing from elsewhere', () => {
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
      const search = `<script src="${'../'.repeat(name.split('/').length - 1)}site.js" defer>`;
      const renderer = ['<script src="redoc.standalone.js">', '<script src="draw.js">'];
      const ours = name === 'reference/index.html' ? [search, ...renderer] : [search];
      expect([name, loaded]).toEqual([name, ours]);
      expect(textOf(name).match(/<h1/g)).toHaveLength(1);
    }
  });

  describe('of the reference', () => {
    type Item = Record<
      string,
      { operationId: string; tags: string[]; summary: string; 'x-called-by'?: string }
    >;
    interface Described {
      info: { description: string };
      tags: { name: string }[];
      paths: Record<string, Item>;
      webhooks: Record<string, { post: { operationId: string; tags: string[] } }>;
    }
    const description = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8')) as Described;
    const drawn = JSON.parse(textOf('reference/openapi.json')) as Described;
    const operations = Object.values(description.paths).flatMap((item) =>
      Object.entries(item).flatMap(([method, one]) => (method === 'head' ? [] : [one])),
    );
    const drawnIds = [
      ...Object.values(drawn.paths).flatMap((item) => Object.values(item)),
      ...Object.values(drawn.webhooks).map(({ post }) => post),
    ].map(({ operationId }) => operationId);

    it('contain every operation for merchants and every webhook, and no address that others call', () => {
      const ids = [
        ...operations.filter((one) => one['x-called-by'] === undefined),
        ...Object.values(description.webhooks).map(({ post }) => post),
      ].map(({ operationId }) => operationId);
      expect(drawnIds.sort()).toEqual(ids.sort());
      // The page contains them also before its script has run.
      const page = textOf('reference/index.html');
      expect(page.match(/<li>/g)).toHaveLength(ids.length);
      for (const path of ['/in/', '/listen_cardproc.php', '/api/v1/walletpay/webhook']) {
        expect(textOf('reference/openapi.json')).not.toContain(`"${path}`);
        expect(page).not.toContain(path);
      }
    });

    it('begin with authentication, then the rails in the order of the specification, webhooks last', () => {
      expect(drawn.info.description).toContain('\n\n# Authentication\n\n');
      const further = railDefinitions
        .filter(({ name }) => !specifiedRails.includes(name))
        .map(({ name }) => name);
      const tags = drawn.tags.map(({ name }) => name).filter((name) => !further.includes(name));
      expect(tags).toEqual(['momo', 'stk', 'xb', 'walletpay', 'cardproc', 'malipo', 'service', 'webhooks']);
      const titles = [...textOf('reference/index.html').matchAll(/<h2>([^<]+)<\/h2>/g)].map(
        ([, title]) => title,
      );
      expect([titles[0], titles.at(-1)]).toEqual(['Mobile money', 'Webhooks']);
      const ofWebhooks = Object.values(drawn.webhooks).flatMap(({ post }) => post.tags);
      expect(new Set(ofWebhooks)).toEqual(new Set(['webhooks']));
    });

    it('say in the title of each operation what it does, as a verb in the imperative', () => {
      const verbs = [
        ...[
          'Add',
          'Cancel',
          'Capture',
          'Change',
          'Check',
          'Collect',
          'Create',
          'End',
          'Get',
          'List',
          'Pay out',
        ],
        ...['Query', 'Receive', 'Redeem', 'Refund', 'Resend', 'Send', 'Show'],
      ];
      const others = operations.filter(
        ({ summary }) => !verbs.some((verb) => summary.startsWith(`${verb} `)),
      );
      expect(others.map(({ summary }) => summary)).toEqual([]);
    });
  });

  it('link to each error in the reference, and have a command for each call', () => {
    const { paths } = JSON.parse(textOf('reference/openapi.json')) as {
      paths: Record<
        string,
        Record<string, { description: string; 'x-codeSamples'?: { label: string; source: string }[] }>
      >;
    };
    const push = paths['/api/v1/stk_push']?.['post'];
    expect(push?.description).toContain('[DUPLICATE_PAYMENT](../errors.html#DUPLICATE_PAYMENT)');
    const [sample, ...ofClients] = push?.['x-codeSamples'] ?? [];
    expect(ofClients.map(({ label }) => label)).toEqual(['Node', 'Python', 'PHP']);
    expect(ofClients[1]?.source).toContain('malipo.stk_push(\n    phone_number="254708374149",');
    expect(sample?.source).toContain('"Idempotency-Key: order-$RANDOM$RANDOM"');
    const one = paths['/api/v1/payments/{payment_id}']?.['get']?.['x-codeSamples']?.[0]?.source ?? '';
    expect(one).toMatch(/^curl -sS "\$MALIPO_URL\/api\/v1\/payments\/[\da-f-]{36}" /);
    expect(paths['/api/v1/statement']?.['get']?.['x-codeSamples']?.[0]?.source).toContain('?from=');
  });

  it('show each rail with its own tables', () => {
    const stk = textOf('rails/stk-push.html');
    for (const code of Object.keys(stkNextSteps.deposit)) expect(stk).toContain(`<code>${code}</code>`);
    expect(stk).toContain('after 20 seconds, 35 seconds, 50 seconds and so on, up to 5 minutes');
    for (const currency of momoCurrencies) expect(textOf('rails/mobile-money.html')).toContain(currency);
    expect(textOf('rails/wallet-checkout.html')).toContain('at once, 3 days, 14 days, 27 days');
    expect(textOf('rails/vouchers.html')).toContain('after 90 days');
    for (const name of pages) expect(textOf(name)).not.toContain('<!-- table');
  });

  it('include a Postman collection with every operation for merchants', () => {
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

  it('have an entry for every error code', () => {
    const text = textOf('errors.html');
    expect(Object.keys(errorResponses).filter((code) => !text.includes(`id="${code}"`))).toEqual([]);
  });

  it('link the page before and after each guide, in the order of the list', () => {
    const beside = (name: string, which: 'prev' | 'next') =>
      new RegExp(`rel="${which}" href="([^"]+)"`).exec(textOf(name))?.[1];
    expect([beside('index.html', 'prev'), beside('index.html', 'next')]).toEqual([
      undefined,
      'guides/first-payment.html',
    ]);
    const walked: string[] = [];
    for (let at: string | undefined = 'index.html'; at !== undefined && walked.length < 100;) {
      walked.push(at);
      const next: string | undefined = beside(at, 'next');
      const target: string | undefined = next === undefined ? undefined : join(dirname(at), next);
      if (target !== undefined) expect(join(dirname(target), beside(target, 'prev') ?? '')).toBe(at);
      at = target;
    }
    const guides = pages.filter((name) => /^(?:index\.html|guides\/|rails\/)/.test(name));
    expect([...walked].sort()).toEqual(guides.sort());
  });

  it('contain the changelog, with the newest changes', () => {
    const text = textOf('changelog.html');
    const headings = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').match(/^## .+$/gm) ?? [];
    expect(headings.length).toBeGreaterThan(2);
    for (const heading of headings) expect(text).toContain(`>${heading.slice(3)}</h2>`);
    expect(textOf('index.html')).toContain('href="changelog.html"');
  });

  it('have a search index with every page, every section and every operation', () => {
    const entries = JSON.parse(textOf('search.json')) as { path: string; heading: string; text: string }[];
    const paths = entries.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    const sections = pages
      .filter((name) => !name.startsWith('reference'))
      .flatMap((name) => [
        name,
        ...[...textOf(name).matchAll(/<h2 id="([^"]+)"/g)].map(([, anchor = '']) => `${name}#${anchor}`),
      ]);
    const operations = paths.filter((path) => path.startsWith('reference/'));
    expect(paths.filter((path) => !path.startsWith('reference/')).sort()).toEqual(sections.sort());
    expect(operations.length).toBe(textOf('reference/index.html').match(/<li>/g)?.length);
    for (const { heading, text } of entries)
      expect(`${heading} ${text}`).not.toMatch(
        /<\/?(?:a|code|h2|li|p|pre|t[dr])\b|&(?:amp|gt|lt|quot|#\d+);/,
      );
    expect(textOf('minisearch.js.LICENSE.txt')).toContain('Permission is hereby granted');
  });

  it('explain on the page about authentication how each call is authenticated, and every code of a denied one', () => {
    const page = textOf('guides/authentication.html');
    const codes = Object.entries(errorResponses)
      .filter(([code, { status }]) => [401, 403].includes(status) && code !== 'INVALID_SIGNATURE')
      .map(([code]) => code);
    expect(codes.length).toBeGreaterThan(7);
    expect(
      [...codes, 'CREDENTIALS_MISSING'].filter((code) => !page.includes(`errors.html#${code}"`)),
    ).toEqual([]);
    const rowOf = (words: string) => page.split('<tr>').find((row) => row.includes(words)) ?? '';
    expect(rowOf('or keys in the body')).toContain('<code>/api/v1/stk_push</code>');
    expect(rowOf('or keys in the body')).not.toContain('/momo/');
    expect(rowOf('<code>merchant_id</code> in the body')).toContain('<code>/api/v2/initiate.php</code>');
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

  it('say what to do for each answer that is neither accepted nor clearly wrong', () => {
    const guide = textOf('guides/idempotency.html');
    const codes = Object.entries(errorResponses)
      .filter(([, { status }]) => [409, 422, 429].includes(status) || status >= 500)
      .map(([code]) => code);
    expect(codes.filter((code) => !guide.includes(`<code>${code}</code>`))).toEqual([]);
  });

  it('have guides whose links also work in the repository', () => {
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
  it('links to an entry of the errors page, if the deployment configures its documentation address', () => {
    const error = new PaymentError('PAYMENT_NOT_FOUND');
    const reported = errorBody(error, { timezone: 'UTC', docsUrl: 'https://docs.example.org' });
    expect(reported['doc_url']).toBe('https://docs.example.org/errors.html#PAYMENT_NOT_FOUND');
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
    ['/docs/site.js', 'text/javascript; charset=utf-8'],
    ['/docs/minisearch.js', 'text/javascript; charset=utf-8'],
    ['/docs/search.json', 'application/json; charset=utf-8'],
  ])('%s is served, and only files of the site may run or be loaded', async (path, type) => {
    const { status, headers } = await fetch(`${url}${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "script-src 'self'; connect-src 'self'; style-src 'self'",
    );
  });

  it.each([
    ['/docs/reference/', 'text/html; charset=utf-8'],
    ['/docs/reference/redoc.standalone.js', 'text/javascript; charset=utf-8'],
    ['/docs/reference/draw.js', 'text/javascript; charset=utf-8'],
  ])('%s is served, and only its own files may run', async (path, type) => {
    const { status, headers } = await fetch(`${url}${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|https?:/);
  });

  it('redirects /docs, and answers 404 for an unknown page', async () => {
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
