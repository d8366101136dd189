/** The packages as a shop installs them: as their READMEs say, into an empty project. Their first payment goes to a sandbox. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
  readdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { findExecutable } from '../../../tools/sandbox/services/on-path';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { sharedStack } from '../../support/shared-stack';
import type { Stack } from '../../support/stack';
import { languages, type Language } from './languages';

const root = join(__dirname, '..', '..', '..');
const clients = join(root, 'packages', 'clients');
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const textOf = (language: string, name: string) => readFileSync(join(clients, language, name), 'utf8');

/** The first sample below a heading of a README. */
function sampleOf(language: string, heading: string): string {
  const [, , code] =
    new RegExp(`^## ${heading}\\n[^]*?^\`\`\`(\\w+)\\n([^]*?)^\`\`\``, 'm').exec(
      textOf(language, 'README.md'),
    ) ?? [];
  if (code === undefined) throw new Error(`the README for ${language} has no sample below ${heading}`);
  return code;
}

const folder = mkdtempSync(join(tmpdir(), 'malipo-packages-'));
let stack: Stack;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  stack = await sharedStack({ timeScale: 20 });
  const merchant = await stack.createMerchant('An empty project');
  env = {
    ...process.env,
    MALIPO_URL: stack.apiUrl,
    MALIPO_API_KEY: merchant.apiKey,
    MALIPO_API_SECRET: merchant.apiSecret,
    PYTHONDONTWRITEBYTECODE: '1',
    COMPOSER_ALLOW_SUPERUSER: '1',
    COMPOSER_HOME: join(folder, 'composer'),
  };
});
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** An empty project, with the repository beside its files, as the READMEs have it. */
function projectOf(language: string): string {
  const project = join(folder, language);
  const isOfClient = (path: string) => !/\/(dist|build|[^/]+\.egg-info|__pycache__)$/.test(path);
  cpSync(join(clients, language), join(project, 'malipo', 'packages', 'clients', language), {
    recursive: true,
    filter: isOfClient,
  });
  return project;
}
const fileOf = (project: string, name: string, text: string) => {
  writeFileSync(join(project, name), text);
  return join(project, name);
};
/** What the customer reads after the first payment of each README. */
const nextStep = /^[A-Z][^\n]+\.\n$/;

const itIn = (language: Language['name'], ...tools: string[]) => {
  const isHere = [languages[language].command, ...tools.map((tool) => findExecutable([tool]))].every(
    (path) => path !== undefined,
  );
  // CI has all of them, and fails there.
  return isHere || process.env['CI'] === 'true' ? it : it.skip;
};

describe('the package for Node', () => {
  const project = join(folder, 'node');
  beforeAll(async () => {
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{}');
    const node = join(clients, 'node');
    await runCommand('npm', ['run', '--silent', 'build'], { cwd: node });
    await runCommand('npm', ['pack', '--silent', '--pack-destination', project], { cwd: node });
    const quiet = ['--offline', '--no-audit', '--no-fund'];
    await runCommand('npm', ['install', ...quiet, './malipo-client-1.0.0.tgz'], { cwd: project });
  });

  const printed =
    'console.log(typeof createMalipo, typeof verifyWebhook, RefusedError.prototype instanceof Error);';
  const names = '{ createMalipo, verifyWebhook, RefusedError }';
  it.each([
    ['import', 'shop.mjs', `import ${names} from 'malipo-client';\n${printed}`],
    ['require', 'shop.cjs', `const ${names} = require('malipo-client');\n${printed}`],
  ])('is there for %s', async (_, name, text) => {
    const out = await runCommand(process.execPath, [fileOf(project, name, text)], { cwd: project });
    expect(out).toBe('function function true\n');
  });

  const typed = `import { createMalipo, verifyWebhook, type Webhook } from 'malipo-client';
    const malipo = createMalipo({ baseUrl: 'http://127.0.0.1', apiKey: 'a', apiSecret: 'b' });
    export const payments = malipo.listPayments({ limit: 10 });
    export const hear = (headers: Headers): Webhook => verifyWebhook('', headers, 'c');
    // @ts-expect-error no such operation
    malipo.nothing();`;
  it.each([
    ['import', 'shop.mts', ['--module', 'nodenext']],
    ['require', 'shop.cts', ['--module', 'nodenext']],
    ['a bundler', 'bundled.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
    [
      'the older resolution of Node',
      'older.ts',
      ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'],
    ],
  ])('has types for %s', async (_, name, options) => {
    const args = [...options, '--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom'];
    await runCommand(process.execPath, [compiler, ...args, fileOf(project, name, typed)], {
      cwd: project,
    });
  });

  it('makes the first payment of its README', async () => {
    const { code } = transformSync(sampleOf('node', 'First payment'), { loader: 'ts' });
    expect(
      await runCommand(process.execPath, [fileOf(project, 'first.mjs', code)], { cwd: project, env }),
    ).toMatch(nextStep);
  });

  it('has its tests, and passes them there', async () => {
    const tests = join('node_modules', 'malipo-client', 'dist', 'test');
    let passed = 0;
    // `--test` finds no file below node_modules.
    for (const name of readdirSync(join(project, tests))) {
      const args = ['--test-reporter=tap', join(tests, name)];
      const output = await runCommand(process.execPath, args, { cwd: project });
      passed += Number(/^# pass (\d+)\n# fail 0$/m.exec(output)?.[1] ?? 0);
    }
    expect(passed).toBeGreaterThanOrEqual(10);
  });
});

describe('the package for Python', () => {
  const python = languages.python.command ?? '';
  const itThere = itIn('python');
  let project = '';
  let installed = '';
  /** The environment of the tests builds the package; that of the project has nothing but the package. */
  itThere('is installed as its README says', async () => {
    project = projectOf('python');
    installed = join(project, 'venv', 'bin', 'python');
    await runCommand(python, ['-m', 'venv', '--without-pip', 'venv'], { cwd: project });
    const [, what = ''] = /^pip install (\S+)\n$/.exec(sampleOf('python', 'Install')) ?? [];
    const offline = ['--disable-pip-version-check', '--no-deps', '--no-index'];
    await runCommand(python, ['-m', 'pip', 'wheel', ...offline, '--no-build-isolation', '-w', '.', what], {
      cwd: project,
    });
    const wheel = 'malipo_client-1.0.0-py3-none-any.whl';
    await runCommand(python, ['-m', 'pip', '--python', installed, 'install', ...offline, wheel], {
      cwd: project,
    });
    rmSync(join(project, 'malipo'), { recursive: true });
    const described =
      'from importlib.metadata import files; print(next(f for f in files("malipo-client") if f.name == "METADATA").read_text())';
    const metadata = await runCommand(installed, ['-c', described], { cwd: project });
    for (const field of [
      'License-Expression: Apache-2.0',
      'License-File: LICENSE',
      'Requires-Python: >=3.11',
      '# Malipo for Python',
    ])
      expect(metadata).toContain(field);
  });

  itThere('has types', async () => {
    const shop =
      'from malipo import Malipo\nreveal_type(Malipo("u", "k", "s").momo_status(transaction_id="1")["sequence"])\n';
    const args = [
      '-m',
      'mypy',
      '--strict',
      '--python-executable',
      installed,
      fileOf(project, 'typed.py', shop),
    ];
    expect(await runCommand(python, args, { cwd: project })).toContain('Revealed type is "int"');
  });

  itThere('makes the first payment of its README', async () => {
    const first = fileOf(project, 'first.py', sampleOf('python', 'First payment'));
    expect(await runCommand(installed, [first], { cwd: project, env })).toMatch(nextStep);
  });

  itThere('passes its tests there', async () => {
    cpSync(join(clients, 'python', 'tests'), join(project, 'tests'), { recursive: true });
    expect(await runCommand(installed, ['-m', 'unittest', 'discover'], { cwd: project, env })).toMatch(
      /^Ran 1\d tests[^]*\nOK$/m,
    );
  });
});

describe('the package for PHP', () => {
  const php = languages.php.command ?? '';
  const itThere = itIn('php', 'composer', 'phpunit');
  let project = '';
  itThere('is installed as its README says', async () => {
    project = projectOf('php');
    // Without this Composer looks at its registry too; there is no client on it.
    mkdirSync(env['COMPOSER_HOME'] ?? '');
    writeFileSync(
      join(env['COMPOSER_HOME'] ?? '', 'config.json'),
      '{"repositories": [{"packagist.org": false}]}',
    );
    const [, init = ''] = /`(composer init [^`]+)`/.exec(textOf('php', 'README.md')) ?? [];
    for (const line of [init, ...sampleOf('php', 'Install').trim().split('\n')]) {
      const [command = '', ...args] = line.split(' ');
      await runCommand(command, [...args, '--no-interaction'], { cwd: project, env });
    }
    const client = join(project, 'malipo', 'packages', 'clients', 'php', 'composer.json');
    await runCommand('composer', ['validate', '--strict', '--no-interaction', client], { cwd: project, env });
  });

  itThere('makes the first payment of its README', async () => {
    const first = fileOf(project, 'first.php', sampleOf('php', 'First payment'));
    expect(await runCommand(php, [first], { cwd: project, env })).toMatch(nextStep);
  });

  itThere('has its tests, and passes them there', async () => {
    const tests = join('vendor', 'malipo', 'client', 'tests');
    const args = ['--do-not-cache-result', '--bootstrap', join('vendor', 'autoload.php'), tests];
    expect(await runCommand('phpunit', args, { cwd: project, env })).toMatch(/^OK \(1\d tests/m);
  });
});

describe.each(['node', 'python', 'php'])('the package for %s', (language) => {
  it('is installed by the same lines in its README and in the guide', () => {
    const guide = readFileSync(join(root, 'docs', 'guides', '02-shop.md'), 'utf8');
    for (const line of sampleOf(language, 'Install').trim().split('\n')) expect(guide).toContain(line);
  });

  it('has the licence of the project and a changelog', () => {
    expect(textOf(language, 'LICENSE')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
    expect(textOf(language, 'CHANGELOG.md')).toContain('## 1.0.0');
  });

  // A package is read far from the repository. Pages of the documentation are linked at the sandbox's address.
  it('links only addresses that lead somewhere from everywhere', () => {
    const links = ['README.md', 'CHANGELOG.md'].flatMap((name) => {
      const text = textOf(language, name);
      const anchors = [...text.matchAll(/^## (.+)$/gm)].map(
        ([, title = '']) => `#${title.toLowerCase().replaceAll(' ', '-')}`,
      );
      return [...text.matchAll(/\]\(([^)]+)\)/g)]
        .map(([, to = '']) => to)
        .filter((to) => !anchors.includes(to));
    });
    expect(links.length).toBeGreaterThan(2);
    const docs = 'http://localhost:3100/docs/';
    const leadsNowhere = (link: string) =>
      link.startsWith(docs)
        ? !existsSync(join(root, 'dist', 'site', link.slice(docs.length)))
        : !link.startsWith('https://');
    expect(links.filter(leadsNowhere)).toEqual([]);
  });
});
