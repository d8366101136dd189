/** The samples of the documentation: every fence of the guides, of the README and of the developer's tools. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { railDefinitions } from '../../../src/rails';

const root = join(__dirname, '..', '..', '..');
const guides = 'docs/guides';

export interface Fence {
  file: string;
  /** Of its first line of code, from 1. */
  line: number;
  language: string;
  /** Behind the language: of JSON, the schema that it fits. */
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

/** What is not run here, by how it begins, and why. */
const notRun: Record<string, string> = {
  ' merchant ──POST──▶ API': 'a drawing',
  'npm start\n': 'test/tools/sandbox/start.test.ts starts it',
  'npm start   ':
    'three terminals that stay open: start.test.ts, test/integration/cli/listen-in-trouble.test.ts',
  'npx malipo listen --forward-to http://localhost:8000/hook\n':
    'it ends when somebody stops it: test/integration/cli/listen-in-trouble.test.ts',
  '(cd packages/clients/node': 'it builds in the repository, where others read at the same time',
  'npx esbuild packages/clients/':
    'servers, which end when somebody stops them: test/tools/clients/shops.test.ts',
};

export const whyNotRun = ({ code }: Fence): string | undefined =>
  Object.entries(notRun).find(([beginning]) => code.startsWith(beginning))?.[1];

/** Rows that no fence needs. */
export const staleReasons = () =>
  Object.keys(notRun).filter((beginning) => !fences.some(({ code }) => code.startsWith(beginning)));
