import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

describe('Dockerfile', () => {
  it('copies the folders that the build reads, and .dockerignore lets them through', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
      String(match[1]).split(' '),
    );
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(copied.filter((path) => !ignored.includes(`!${path}`))).toEqual([]);
  });
});
