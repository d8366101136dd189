import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorResponses } from '../src/domain/errors';

const root = join(__dirname, '..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the documents', () => {
  it('list every error code with its status and its sentence', () => {
    // The formatter aligns the table's columns.
    const listed = textOf('docs/errors.md').replace(/ +/g, ' ');
    const missing = Object.entries(errorResponses).filter(
      ([code, { status, message }]) => !listed.includes(`| \`${code}\` | ${String(status)} | ${message} |`),
    );
    expect(missing.map(([code]) => code)).toEqual([]);
  });

  it.each(['README.md', 'docs/money-safety.md', 'docs/add-a-rail.md', 'docs/production.md'])(
    '%s links and names only what exists',
    (file) => {
      const text = textOf(file);
      const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target);
      const named = [
        ...text.matchAll(/`((?:src|workflows|activities|simulator|test|bench|docs)\/[\w./-]+)`/g),
      ]
        .map(([, path = '']) => path)
        .filter((path) => !path.includes('<'));
      const folder = file.includes('/') ? 'docs' : '.';
      const lost = [
        ...links.filter((target) => !target.startsWith('http') && !existsSync(join(root, folder, target))),
        ...named.filter((path) => !existsSync(join(root, path))),
      ];
      expect(lost).toEqual([]);
    },
  );
});
