/** The samples of the documentation: every code fence of the guides, the README and the developer's tools. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { railDefinitions } from '../../../src/rails';

const root = join(__dirname, '..', '..', '..');
const guides = 'docs/guides';

export interface Fence {
  file: string;
  /** The number of its first code line, from 1. */
  line: number;
  language: string;
  /** The text after the language: for JSON, its schema. */
  schema: string;
  code: string;
}

const files = [
  'README.md',
  'docs/developer.md',
  ...readdirSync(join(root, guides), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(guides, name)),
  ...railDefinitions.map(({ name }) => `src/rails/${name}/guide.md`),
];

export const fences: Fence[] = files.flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map((found) => {
    const [, words = '', code = ''] = found;
    const [language = '', schema = ''] = words.split(' ');
    return { file, line: text.slice(0, found.index).split('\n').length + 1, language, schema, code };
  });
});

export const nameOf = ({ file, line, language }: Fence) => `${file}:${String(line)} ${language}`;

/** Fences that are not run here, by their start, with the reason. */
const notRun: Record<string, string> = {
  ' merchant ──POST──▶ API': 'a drawing',
  'npm start # or': 'test/tools/sandbox/start.test.ts starts it',
  'docker compose up ': 'npm run docker-drill runs it',
  'npm start   ':
    'three terminals that stay open: start.test.ts, test/integration/cli/listen-in-trouble.test.ts',
  'npx malipo new-shop --lang ': 'they make a shop beside this folder: test/tools/new-shop/new-shop.test.ts',
  'source .malipo/env\nnpx malipo listen ':
    'it ends when somebody stops it: test/tools/new-shop/new-shop.test.ts',
  'npx malipo listen --forward-to http://localhost:8000/hook\n':
    'it ends when somebody stops it: test/integration/cli/listen-in-trouble.test.ts',
  '<iframe src=': 'a part of a page: test/e2e/rails/cardproc/checkout.browser.test.ts shows one',
  '(cd malipo/packages/clients/node':
    'each line is run in an empty project: test/tools/clients/packages.test.ts',
  'npx esbuild packages/clients/':
    'servers, which end when somebody stops them: test/tools/clients/shops.test.ts',
};

export const whyNotRun = ({ code }: Fence): string | undefined =>
  Object.entries(notRun).find(([beginning]) => code.startsWith(beginning))?.[1];

/** Entries that no fence uses. */
export const staleReasons = () =>
  Object.keys(notRun).filter((beginning) => !fences.some(({ code }) => code.startsWith(beginning)));
