/**
 * The rail of docs/add-a-rail.md, added to a copy of the repository: it builds, is listed, and its adapter answers.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..', '..');
const run = promisify(execFile);

/** A rail's own folders; all other files are outside. */
const own = /^(?:src\/rails\/toy|simulator\/providers\/toy)\//;

const toyRail = join(root, 'docs', 'toy-rail');

interface Edit {
  file: string;
  text: string;
}

function editsOf(page: string): Edit[] {
  return [...page.matchAll(/^```diff (\S+)\n([^]*?)^```$/gm)].map(([, file = '', text = '']) => ({
    file,
    text,
  }));
}

/** Each part between `@@` lines is found in its old form, and replaced by its new one. */
function edited(before: string, diff: string): string {
  return diff
    .split(/^@@\n/m)
    .filter((hunk) => hunk !== '')
    .reduce((text, hunk) => {
      const lines = hunk.trimEnd().split('\n');
      const without = (mark: string) =>
        lines.filter((line) => !line.startsWith(mark)).map((line) => `${line.slice(1)}\n`);
      const old = without('+').join('');
      if (text.split(old).length !== 2) throw new Error(`not there once:\n${old}`);
      return text.replace(old, () => without('-').join(''));
    }, before);
}

/** Compiled and run in the copy: the rail in the lists, and its adapter with its simulated provider. */
const check = `
import { createSimulator } from './simulator/simulator';
import type { RailSettings } from './src/rail-kit/rail';
import { operationOf } from './src/rail-kit/rail';
import { createRails, railDefinitions } from './src/rails';
import { railSandboxes } from './src/rails/sandbox';
import type { PaymentRow } from './src/store/tables';
import { madeUpBeside, providerEnvironment } from './tools/sandbox/credentials';
import { guidePages } from './tools/docs-site/guides';
import type { Description } from './tools/docs-site/reference';
import { committedDescription, describedRails } from './tools/docs-site/served-api';

const nothing = () => undefined;

async function main(): Promise<void> {
  const credentials = providerEnvironment(madeUpBeside());
  const simulator = await createSimulator({ port: 0, stateFolder: 'state', env: credentials });
  const settings = (env: NodeJS.ProcessEnv): RailSettings => ({
    ...{ environment: 'sandbox', publicUrl: 'http://127.0.0.1:1', timezone: 'UTC', timeScale: 1, env },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    tokens: nothing as unknown as RailSettings['tokens'],
    observe: nothing,
  });
  const of = { kind: 'deposit', provider: 'toybank' } as const;
  const depositAt = (url: string, token = credentials['TOY_TOKEN'] ?? '') => {
    const [rail] = createRails(settings({ TOY_BASE_URL: url, TOY_TOKEN: token }), ['toy']);
    if (!rail) throw new Error('there is no toy rail');
    return operationOf(rail, of);
  };
  const url = simulator.origins['toy'] ?? '';
  const deposit = depositAt(url);
  const call = { timeoutMs: 5_000, requestId: 'r', attempt: 1 };
  const payment = (payment_id: string, phone_number: string, provider_reference: string | null = null) =>
    ({
      ...of,
      ...{ payment_id, phone_number, provider_reference, instructed_minor: '1000', instructed_currency: 'KES' },
    }) as PaymentRow;
  const pays = (id: string, reference?: string) => payment(id, '254700000001', reference);
  const spoil = async (rule: object) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ provider: 'toy', ...rule });
    const answer = await fetch(simulator.url + '/control/next', { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const told = {
    accepted: await deposit.initiate(pays('a'), call),
    paid: await deposit.retrieveStatus(pays('a', 'TB-1'), call),
    declining: await deposit.initiate(payment('b', '254700000002'), call),
    declined: await deposit.retrieveStatus(payment('b', '254700000002', 'TB-2'), call),
    refused: await depositAt(url, 'wrong').initiate(pays('c'), call),
    notSent: await depositAt('http://127.0.0.1:9').initiate(pays('c'), call),
    lost: await spoil({ call: 'initiate', behave: 'act_then_drop' }).then(() => deposit.initiate(pays('c'), call)),
    found: await deposit.recover?.(pays('c'), call),
    notFound: await deposit.recover?.(pays('d'), call),
    silent: await spoil({ call: 'status', behave: '500' }).then(() => deposit.retrieveStatus(pays('a', 'TB-1'), call)),
  };
  const scenarios = (await (await fetch(simulator.url + '/control/scenarios')).json()) as { scenarios: { name: string }[] };
  await simulator.close();
  const description = committedDescription() as unknown as Description;
  const pages = await guidePages(process.cwd(), description);
  process.stdout.write(
    JSON.stringify({
      rails: railDefinitions.map(({ name }) => name),
      described: describedRails().map(({ name }) => name),
      sandboxes: Object.keys(railSandboxes),
      scenarios: scenarios.scenarios.map(({ name }) => name).filter((name) => name.startsWith('toy.')),
      paths: Object.keys(description.paths).filter((path) => path.includes('toy')),
      guide: pages.find(({ path }) => path === 'rails/toy-bank.html')?.content,
      kinds: Object.fromEntries(Object.entries(told).map(([name, answer]) => [name, answer?.kind])),
    }),
  );
}

void main();
`;

describe('docs/add-a-rail.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-toy-rail-'));
  const page = readFileSync(join(root, 'docs', 'add-a-rail.md'), 'utf8');
  const edits = editsOf(page);
  const added = readdirSync(toyRail, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(ts|md)$/.test(name),
  );
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('changes at most four files outside the folders of the rail and of its provider', () => {
    expect(added.filter((file) => !own.test(file))).toEqual([]);
    expect(edits.map(({ file }) => file)).toEqual([
      'src/rails/index.ts',
      'src/rails/sandbox.ts',
      'simulator/providers/index.ts',
      'src/secret-files.ts',
    ]);
  });

  it('names every file of the rail', () => {
    expect(added.filter((file) => !page.includes(`(toy-rail/${file})`))).toEqual([]);
  });

  it('creates a rail that builds, is listed, and never treats unknown as failed', async () => {
    for (const name of [
      'src',
      'simulator',
      'tools/docs-site',
      'tools/sandbox',
      'docs/guides',
      'workflows',
      'packages/clients',
    ])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    cpSync(toyRail, folder, { recursive: true });
    for (const { file, text } of edits) {
      const path = join(folder, file);
      writeFileSync(path, edited(readFileSync(path, 'utf8'), text));
    }
    writeFileSync(join(folder, 'check.ts'), check);
    const { extends: bases } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
      extends: string[];
    };
    const compilerOptions = {
      ...{ outDir: 'dist', rootDir: '.', types: ['node'], noPropertyAccessFromIndexSignature: false },
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: bases, compilerOptions, files: ['check.ts'] }),
    );
    const node = (...args: string[]) => run(process.execPath, args, { cwd: folder, maxBuffer: 1 << 24 });
    await node(join(root, 'node_modules', 'typescript', 'bin', 'tsc')).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout);
    });
    const { stdout } = await node('dist/check.js');

    const reported = JSON.parse(stdout) as Record<'rails' | 'described' | 'sandboxes', string[]> & {
      guide: string;
    };
    for (const list of [reported.rails, reported.described, reported.sandboxes])
      expect(list).toContain('toy');
    expect(reported).toMatchObject({
      scenarios: ['toy.paid', 'toy.declined'],
      paths: ['/api/v1/toy/collect', '/api/v1/toy/status', '/in/toy'],
      kinds: {
        ...{ accepted: 'accepted', paid: 'succeeded', declining: 'accepted', declined: 'failed' },
        ...{ refused: 'refused', notSent: 'not_sent', lost: 'unknown', found: 'accepted' },
        ...{ notFound: 'unknown', silent: 'unknown' },
      },
    });
    expect(reported.guide).toContain('DECLINED');
    expect(reported.guide).not.toContain('<!-- table');
  });
});
