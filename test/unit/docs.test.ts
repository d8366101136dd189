import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorResponses } from '../../src/domain/errors';
import { railDefinitions } from '../../src/rails';
import { servedApi } from '../../tools/docs-site/served-api';
import { furtherNodes, imageNode } from '../../tools/sandbox/services/fetch-nodes';
import { specifiedRails } from '../support/specified-endpoints';
import { servicePrivileges } from '../../src/store/service-privileges';

const root = join(__dirname, '..', '..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const readmeOf = (rail: string) => textOf(`src/rails/${rail}/README.md`);

/** @param target a path from the page's folder, a heading of the page, or a heading of another page. */
function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, file))) return false;
  if (anchor === undefined) return true;
  const headings = [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, words = '']) => words.toLowerCase());
  return headings.some((words) => words.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-') === anchor);
}

describe('the documents', () => {
  it('list every error code with its status and its sentence', () => {
    // The formatter aligns the table's columns.
    const listed = textOf('docs/errors.md').replace(/ +/g, ' ');
    const missing = Object.entries(errorResponses).filter(
      ([code, { status, message }]) => !listed.includes(`| \`${code}\` | ${String(status)} | ${message} |`),
    );
    expect(missing.map(([code]) => code)).toEqual([]);
  });

  it.each([
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'docs/README.md',
    'docs/architecture.md',
    'docs/developer.md',
    'docs/money-safety.md',
    'docs/security.md',
    'docs/controls.md',
    'docs/add-a-rail.md',
    'docs/production.md',
    'docs/cluster.md',
    'docs/restore.md',
    'docs/runbooks.md',
    'docs/upgrades.md',
    'docs/going-live.md',
    'docs/reconciliation.md',
    'docs/benchmark.md',
    'docs/endpoints.md',
    'docs/fees.md',
    'docs/figures.md',
    'docs/kubernetes.md',
    'docs/known-limits.md',
    'docs/long-tests.md',
    'docs/portal.md',
    'docs/testing.md',
    'docs/connections.md',
    'docs/migrations.md',
    'docs/scale.md',
    'docs/temporal.md',
    'docs/tracing.md',
  ])('%s links and names only what exists', (file) => {
    // The content of a fence is a separate file.
    const text = textOf(file).replace(/^```[^]*?^```$/gm, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const named = [
      ...text.matchAll(/`((?:src|workflows|activities|simulator|tools|packages|test|docs)\/[\w./-]+)`/g),
    ]
      .map(([, path = '']) => path)
      .filter((path) => !path.includes('<'));
    const lost = [
      ...links.filter((target) => !target.startsWith('http') && !leadsSomewhere(file, target)),
      ...named.filter((path) => !existsSync(join(root, path))),
    ];
    expect(lost).toEqual([]);
  });
});

it('the README fits two screens', () => {
  const lines = textOf('README.md').split('\n').slice(0, -1);
  const prose = lines
    .join('\n')
    .replaceAll(/^```[^]*?^```$/gm, '')
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(120);
  expect(prose.filter((line) => line.length > 160)).toEqual([]);
});

it('the README names the releases of Node on which tests run, and the images have that of CI', () => {
  const [oldest = '', between = ''] = furtherNodes;
  expect(textOf('README.md').replaceAll('\n', ' ')).toContain(
    `All tests run on the LTS release ${imageNode}; the unit tests also run on ${between} and on ${oldest},`,
  );
  const image = `node:${imageNode.split('.')[0]}-bookworm-slim`;
  expect(textOf('Dockerfile')).toContain(`ARG NODE_IMAGE=${image}\n`);
  expect(textOf('.env.example')).toContain(`NODE_IMAGE=${image}\n`);
});

describe('the page about going live', () => {
  const document = textOf('docs/going-live.md');

  const rails = railDefinitions.map(({ name }) => name);

  it('has a part for each rail, there or in its README, and names every setting that an operator must set', () => {
    const reported = [document, ...rails.map(readmeOf)].join('\n');
    const ofRails = new RegExp(`^((?:${rails.join('|').toUpperCase()})_[A-Z_]+)=`, 'gm');
    const asked = [...textOf('.env.example').matchAll(ofRails)]
      .map(([, name = '']) => name.replace(/_FILE$/, ''))
      .filter((name) => !name.endsWith('_BASE_URL'));
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !reported.includes(`\`${name}`))).toEqual([]);
    const isReported = (rail: string) =>
      document.includes(`\n## ${rail}: `) || readmeOf(rail).includes('\n## Going live\n');
    expect(rails.filter((rail) => !isReported(rail))).toEqual([]);
  });
});

/** Tables whose rows stay for good. Every other table has a retention time. */
const keptForGood = [
  ...['access_tokens', 'api_keys', 'approval_rules', 'approvals', 'attempts', 'audit_head', 'audit_log'],
  ...['audit_rows', 'balance_queries', 'bulk_payouts', 'bulk_rows', 'cases', 'day_digests', 'event_heads'],
  ...['fee_schedules', 'float_check_runs', 'float_wallets', 'fx_quotes', 'holds', 'ledger_accounts'],
  ...['ledger_entries', 'ledger_postings', 'merchant_locks', 'merchants', 'notification_health'],
  ...['notification_watch', 'operators', 'order_ids', 'outflow_defaults', 'outflow_limits', 'outflow_lock'],
  ...['outflows', 'payment_log', 'payments', 'payout_holds', 'payout_lock', 'payout_pauses'],
  ...['provider_statements', 'prunings', 'reconciliation_locks', 'rule_alarms', 'sandbox_clock'],
  ...['statement_fetches', 'statement_lines', 'unmatched_receipts', 'verified_state', 'verify_results'],
  ...['vouchers', 'webhook_endpoints'],
];

it('the page about production names each table whose rows or texts are deleted', () => {
  const [, part = ''] = textOf('docs/production.md').split('\n## What is kept, and for how long\n');
  const rows = [...part.matchAll(/^\|.*\|$/gm)].join('\n');
  const named = [...rows.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
  const tables = Object.keys(servicePrivileges).filter((name) => !name.startsWith('knex_'));
  expect([...named, ...keptForGood].sort()).toEqual(tables.sort());
});

describe('the table of endpoints', () => {
  const document = textOf('docs/endpoints.md');
  const [forMerchants = ''] = document.split('\n## ');
  const rowsOf = (text: string) =>
    [...text.matchAll(/^\| `((?:GET|POST) \S+)` .*\]\((?:\.\.\/)+(test\/\S+\.test\.ts)\) *\|$/gm)].map(
      ([, endpoint = '', test = '']) => ({ endpoint, test }),
    );
  /** Endpoints of the specification are in the table, those of a further rail in its README. */
  const ofFurtherRails = railDefinitions
    .filter(({ name }) => !specifiedRails.includes(name))
    .flatMap(({ name }) => rowsOf(readmeOf(name)));
  const rows = rowsOf(document);

  it('has a row for each endpoint of the API, and for no other', () => {
    const listed = [...rowsOf(forMerchants), ...ofFurtherRails].map(({ endpoint }) => endpoint);
    const served = servedApi().flatMap(({ endpoints }) => endpoints);
    expect(listed.sort()).toEqual(
      served.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
    );
  });

  it.each([...rows, ...ofFurtherRails])(
    '$endpoint is proved by a test that exists and names it',
    ({ endpoint, test }) => {
      expect(existsSync(join(root, test)) ? textOf(test) : `there is no ${test}`).toContain(
        endpoint.split(' ')[1],
      );
    },
  );
});
