/** The rules of eslint.config.mjs that find slow patterns, tested on such patterns. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

const slow: [string, string][] = [
  ['nested quantifiers', String.raw`export const p = /^(?:a+)+$/;`],
  ['quantifiers that share characters', String.raw`export const p = /^\s*x?\s*$/;`],
  ['a search that starts again everywhere', String.raw`export const p = /[\w-]*(?:secret|token)[\w-]*=/i;`],
];
const madeOfTexts = "export const p = (text) => new RegExp(text + '+');";
const linear = String.raw`export const p = /(?<![\w-])[\w-]+=/;`;
const folders = ['src', 'activities', 'workflows', 'simulator'];

/** Lints all of them in one process, which takes seconds to start. */
const lintAll = `
  import { ESLint } from 'eslint';
  const eslint = new ESLint();
  const found = [];
  for (const [source, filePath] of JSON.parse(process.argv[1])) {
    const [result] = await eslint.lintText(source, { filePath });
    found.push(result.messages.map(({ ruleId }) => ruleId));
  }
  process.stdout.write(JSON.stringify(found));
`;

function faultsOf(sources: [source: string, file: string][]): string[][] {
  const args = ['--input-type=module', '--eval', lintAll, JSON.stringify(sources)];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })) as string[][];
}

describe('npm run check', () => {
  let faults: Map<string, string[]>;
  beforeAll(() => {
    const sources: [string, string][] = [
      ...folders.flatMap((folder) =>
        slow.map(([, source]): [string, string] => [source, `${folder}/planted.mjs`]),
      ),
      [madeOfTexts, 'src/planted.mjs'],
      [linear, 'src/planted.mjs'],
    ];
    const found = faultsOf(sources);
    faults = new Map(sources.map(([source, file], index) => [`${file} ${source}`, found[index] ?? []]));
  });

  describe.each(folders)('in %s', (folder) => {
    it.each(slow)('finds a pattern with %s', (_, source) => {
      expect(faults.get(`${folder}/planted.mjs ${source}`)?.join()).toMatch(
        /regexp\/no-super-linear-(?:backtracking|move)/,
      );
    });
  });

  it('finds a pattern made of texts, which nothing can check', () => {
    expect(faults.get(`src/planted.mjs ${madeOfTexts}`)).toContain('no-restricted-globals');
  });

  it('accepts a pattern that reads each character once', () => {
    expect(faults.get(`src/planted.mjs ${linear}`)).toEqual([]);
  });
});
