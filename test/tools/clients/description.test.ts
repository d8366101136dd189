/** The clients match the API description: every operation, with its types. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '../../../packages/clients/node/src/operations';
import { languages } from './languages';

const root = join(__dirname, '..', '..', '..');
const clients = join(root, 'packages', 'clients');
const folder = mkdtempSync(join(tmpdir(), 'malipo-types-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const read = (...path: string[]) => readFileSync(join(clients, ...path), 'utf8');

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  parameters: { $ref?: string; in?: string; name?: string }[];
}

const { paths } = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
/** Operations that a merchant calls with its keys. */
const keyed = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { security }]) => security.some((way) => 'ApiKey' in way))
    .map(([method, operation]) => ({ ...operation, method, path })),
);
const snake = (id: string) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe('the generated part of the clients', () => {
  it('matches the description', () => {
    const { status, stderr } = spawnSync('node', [join(root, 'scripts', 'clients.mjs'), '--check']);
    expect([status, String(stderr)]).toEqual([0, '']);
  });

  it('has every operation for merchants, in each language', () => {
    expect(keyed.length).toBeGreaterThan(30);
    const [python, php] = [read('python', 'malipo', 'operations.py'), read('php', 'src', 'Operations.php')];
    const missing = keyed.flatMap(({ operationId: id }) => [
      ...(id in routes ? [] : [`node: ${id}`]),
      ...(python.includes(`    def ${snake(id)}(`) ? [] : [`python: ${id}`]),
      ...(php.includes(`    public function ${id}(`) ? [] : [`php: ${id}`]),
    ]);
    expect(missing).toEqual([]);
  });

  it('sends a key with every operation that accepts one, and never repeats one with a double effect', () => {
    for (const { operationId, method, path, parameters } of keyed) {
      const takesKey = parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key') === true);
      const mayRepeat = takesKey || method === 'get';
      const route = (routes as Record<string, unknown>)[operationId];
      expect(route).toEqual({ method: method.toUpperCase(), path, takesKey, mayRepeat });
    }
  });

  it('has the same version in each language, and no dependency', () => {
    const node = JSON.parse(read('node', 'package.json')) as { version: string; dependencies?: unknown };
    expect(node.dependencies).toBeUndefined();
    expect(read('python', 'pyproject.toml')).toContain(`version = "${node.version}"\n`);
    expect(read('python', 'pyproject.toml')).toContain('dependencies = []\n');
    const php = JSON.parse(read('php', 'composer.json')) as { require: Record<string, string> };
    expect(Object.keys(php.require).every((name) => name === 'php' || name.startsWith('ext-'))).toBe(true);
  });
});

const { python, php } = languages;

describe('the types of the Python client', () => {
  (python.command === undefined ? it.skip : it)('are correct and complete', () => {
    const args = ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'types')];
    const check = (...what: string[]) => {
      const cwd = join(clients, 'python');
      const { status, stdout } = spawnSync(python.command ?? '', [...args, ...what], { cwd });
      return [status, String(stdout)];
    };
    expect(check('malipo', 'examples', 'tests')).toEqual([0, expect.stringContaining('no issues found')]);
    // A merchant's program with an error is rejected.
    const wrong = 'from malipo import Malipo\nMalipo("u", "k", "s").momo_deposit(amount=1)\n';
    expect(check('-c', wrong)).toEqual([1, expect.stringContaining('Missing named argument')]);
  });
});

describe('the PHP client', () => {
  const source = join(clients, 'php', 'src');
  (php.command === undefined ? it.skip : it)('can be parsed, with the shop and its tests', () => {
    const files = ['src', 'examples', 'tests'].flatMap((name) =>
      readdirSync(join(clients, 'php', name)).map((file) => join(clients, 'php', name, file)),
    );
    for (const file of files) {
      const { status, stdout } = spawnSync(php.command ?? '', ['-d', 'display_errors=1', '-l', file]);
      expect([file, status, String(stdout)]).toEqual([file, 0, expect.stringContaining('No syntax errors')]);
    }
  });

  it("has every field of each operation's input and answer", () => {
    const text = readFileSync(join(source, 'Operations.php'), 'utf8');
    for (const { operationId: id, parameters } of keyed) {
      const [, about = ''] =
        new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+public function ${id}\\(`).exec(text) ?? [];
      expect([id, about]).toEqual([id, expect.stringMatching(/@return array\{success: bool, /)]);
      const named = parameters.filter(
        ({ in: where, name }) => (where === 'query' || where === 'path') && name !== 'format',
      );
      for (const { name = '' } of named)
        expect([id, about]).toEqual([id, expect.stringMatching(new RegExp(`@param .*\\b${name}\\??:`))]);
    }
  });
});
