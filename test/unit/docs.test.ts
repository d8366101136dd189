import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorResponses } from '../../src/domain/errors';
import { railDefinitions } from '../../src/rails';
import { servedApi } from '../../tools/docs-site/served-api';
import { specifiedRails } from '../support/specified-endpoints';
import { servicePrivileges } from '../../src/store/service-privileges';

const root = join(__dirname, '..', '..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const readmeOf = (rail: string) => textOf(`src/rails/${rail}/README.md`);

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
    'docs/fuzzing.md',
    'docs/kubernetes.md',
    'docs/proof.md',
    'docs/portal.md',
    'docs/testing.md',
  ])('%s links and names only what exists', (file) => {
    // What stands in a fence is a file of its own.
    const text = textOf(file).replace(/^```[^]*?^```$/gm, '');
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target);
    const named = [
      ...text.matchAll(/`((?:src|workflows|activities|simulator|tools|packages|test|docs)\/[\w./-]+)`/g),
    ]
      .map(([, path = '']) => path)
      .filter((path) => !path.includes('<'));
    const folder = file.includes('/') ? 'docs' : '.';
    const lost = [
      ...links.filter((target) => !target.startsWith('http') && !existsSync(join(root, folder, target))),
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

describe('the way into live', () => {
  const document = textOf('docs/going-live.md');

  const rails = railDefinitions.map(({ name }) => name);

  it('has a part for each rail, there or in its README, and names every setting that an operator is asked for', () => {
    const told = [document, ...rails.map(readmeOf)].join('\n');
    const ofRails = new RegExp(`^((?:${rails.join('|').toUpperCase()})_[A-Z_]+)=`, 'gm');
    const asked = [...textOf('.env.example').matchAll(ofRails)]
      .map(([, name = '']) => name.replace(/_FILE$/, ''))
      .filter((name) => !name.endsWith('_BASE_URL'));
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !told.includes(`\`${name}`))).toEqual([]);
    const isTold = (rail: string) =>
      document.includes(`\n## ${rail}: `) || readmeOf(rail).includes('\n## Going live\n');
    expect(rails.filter((rail) => !isTold(rail))).toEqual([]);
  });
});

describe('the table of what is kept', () => {
  it('has a row for each table that we have, and for no other', () => {
    const rows = [...textOf('docs/production.md').matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => name);
    const tables = Object.keys(servicePrivileges).filter((name) => !name.startsWith('knex_'));
    expect(rows.sort()).toEqual(tables.sort());
  });
});

describe('the table of endpoints', () => {
  const document = textOf('docs/endpoints.md');
  const [forMerchants = ''] = document.split('\n## ');
  const rowsOf = (text: string) =>
    [...text.matchAll(/^\| `((?:GET|POST) \S+)` .*\]\((?:\.\.\/)+(test\/\S+\.test\.ts)\) *\|$/gm)].map(
      ([, endpoint = '', test = '']) => ({ endpoint, test }),
    );
  /** Those of the specification stand in the table, those of a further rail in its README. */
  const ofFurtherRails = railDefinitions
    .filter(({ name }) => !specifiedRails.includes(name))
    .flatMap(({ name }) => rowsOf(readmeOf(name)));
  const rows = rowsOf(document);

  it('has a row for each endpoint that the API serves, and for no other', () => {
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
