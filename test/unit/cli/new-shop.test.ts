/** What `malipo new-shop` accepts and prints; test/tools/new-shop starts the shops. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runDeveloper } from '../../../packages/cli/run';

const root = join(__dirname, '..', '..', '..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-new-shop-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function newShop(args: string[], from = folder) {
  let [out, err] = ['', ''];
  const code = await runDeveloper(['new-shop', ...args], {
    ...{ env: {}, folder: from },
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { code, out, err };
}

const choices = '--lang node, --lang python or --lang php';

it.each([
  ['no language', ['shop'], `Choose the language of the shop: ${choices}.\n`],
  ['a language without its name', ['shop', '--lang'], `Choose the language of the shop: ${choices}.\n`],
  ['an unknown language', ['shop', '--lang', 'ruby'], `There is no shop in "ruby": choose ${choices}.\n`],
  [
    'a name of every object',
    ['shop', '--lang', 'constructor'],
    `There is no shop in "constructor": choose ${choices}.\n`,
  ],
  ['a folder that holds something', ['--lang', 'php', '.'], 'The folder . is not empty: name a new one.\n'],
  ['a file', ['--lang', 'php', 'kept'], 'kept is not a folder: name a new one.\n'],
])('refuses %s in one sentence, and makes nothing', async (_, args, err) => {
  writeFileSync(join(folder, 'kept'), 'mine');
  expect(await newShop(args)).toEqual({ code: 2, out: '', err });
  expect(readdirSync(folder)).toEqual(['kept']);
});

it('refuses a second folder', async () => {
  expect(await newShop(['--lang', 'php', 'a', 'b'])).toMatchObject({ code: 2, out: '' });
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ['python', 'shop.py', '__init__.py'],
  ['php', 'shop.php', 'Malipo.php'],
])('makes a shop in %s with its client, README and licence', async (language, shop, client) => {
  expect(await newShop(['--lang', language])).toMatchObject({ code: 0, err: '' });
  const made = join(folder, 'malipo-shop');
  for (const name of [shop, 'README.md', '.gitignore', `malipo/${client}`])
    expect([name, existsSync(join(made, name))]).toEqual([name, true]);
  expect(readFileSync(join(made, 'malipo', 'LICENSE'), 'utf8')).toBe(
    readFileSync(join(root, 'LICENSE'), 'utf8'),
  );
});

it('takes an empty folder, and reports it as JSON', async () => {
  const { code, out } = await newShop(['--lang', 'php', '.', '--json']);
  expect([code, JSON.parse(out)]).toEqual([
    0,
    { folder, language: 'php', start: 'php -S 127.0.0.1:8000 shop.php', url: 'http://127.0.0.1:8000' },
  ]);
});

it('makes one shop of two at once in one folder', async () => {
  const both = await Promise.all(['php', 'python'].map((language) => newShop(['--lang', language, 'shop'])));
  expect(both.map(({ code }) => code).sort()).toEqual([0, 2]);
  const made = readdirSync(join(folder, 'shop'));
  expect(made.filter((name) => name.startsWith('shop.'))).toHaveLength(1);
  expect(made).not.toContain('.being-made');
});

it('follows a link to an empty folder, and says that a dangling one leads nowhere', async () => {
  mkdirSync(join(folder, 'there'));
  symlinkSync(join(folder, 'there'), join(folder, 'link'));
  expect(await newShop(['--lang', 'php', 'link'])).toMatchObject({ code: 0, err: '' });
  expect(existsSync(join(folder, 'there', 'shop.php'))).toBe(true);
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  const { code, err } = await newShop(['--lang', 'php', 'dangling']);
  expect([code, err]).toEqual([2, expect.stringContaining('The folder dangling cannot be made: ')]);
});

it('refuses a folder that nobody can make', async () => {
  const { code, err } = await newShop(['--lang', 'php', '/proc/shop/here']);
  expect([code, err]).toEqual([2, expect.stringContaining('The folder /proc/shop/here cannot be made: ')]);
});

describe('what comes next', () => {
  it('fits eight lines of 80 columns, in the repository', async () => {
    const given = relative(root, join(folder, 'shop'));
    const { out } = await newShop(['--lang', 'php', given], root);
    expect(out.replaceAll(given, '../shop')).toBe(
      [
        'A shop in PHP is in ../shop. While the sandbox of `npm start` runs:',
        '  source .malipo/env',
        '  (cd ../shop && php -S 127.0.0.1:8000 shop.php)',
        '',
        'Open http://127.0.0.1:8000, and forward webhooks from a second terminal:',
        '  source .malipo/env',
        '  npx malipo listen --forward-to http://127.0.0.1:8000/webhooks',
        '',
      ].join('\n'),
    );
  });

  it('never names a package of a registry elsewhere, and quotes what a shell would split', async () => {
    const { out } = await newShop(['--lang', 'php', "Amina's shop"]);
    const repository = relative(folder, root);
    expect(out).toContain(`  source ${repository}/.malipo/env\n  (cd 'Amina'\\''s shop' && php`);
    expect(out).toContain(`  node ${repository}/scripts/malipo.mjs listen \\\n    --forward-to http`);
    expect(out).not.toContain('npx');
    for (const language of ['node', 'python', 'php'])
      expect(readFileSync(join(root, 'packages', 'shops', language, 'README.md'), 'utf8')).not.toContain(
        'npx',
      );
  });
});
