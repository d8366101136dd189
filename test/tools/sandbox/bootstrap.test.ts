import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate project, whose build copies its one source, or fails halfway if the source says so. */
describe('the build before a command', () => {
  let folder: string;
  const at = (...names: string[]) => join(folder, ...names);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'malipo-bootstrap-'));
    for (const name of ['scripts', 'src', 'dist', 'node_modules']) mkdirSync(at(name));
    cpSync(join(__dirname, '..', '..', '..', 'scripts', 'bootstrap.mjs'), at('scripts', 'bootstrap.mjs'));
    const project = { name: 'a-project', version: '1.0.0' };
    writeFileSync(at('package.json'), JSON.stringify({ ...project, scripts: { build: 'node build.mjs' } }));
    const lock = { ...project, lockfileVersion: 3, packages: { '': project } };
    writeFileSync(at('package-lock.json'), JSON.stringify(lock));
    writeFileSync(at('node_modules', '.package-lock.json'), JSON.stringify({ packages: {} }));
    writeFileSync(
      at('build.mjs'),
      `import { cpSync, readFileSync } from 'node:fs';
       cpSync('src/text', 'dist/text');
       process.exit(readFileSync('src/text', 'utf8') === 'broken' ? 1 : 0);`,
    );
    writeFileSync(at('run.mjs'), `import { bootstrap } from './scripts/bootstrap.mjs'; await bootstrap();`);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const built = (text: string) =>
    new Promise<{ code: number | null; text: string }>((resolve) => {
      writeFileSync(at('src', 'text'), text);
      const child = execFile(process.execPath, ['run.mjs'], { cwd: folder }, () =>
        resolve({ code: child.exitCode, text: readFileSync(at('dist', 'text'), 'utf8') }),
      );
    });

  it('is repeated after a failure, though the sources are again those of the last build', async () => {
    expect(await built('good')).toEqual({ code: 0, text: 'good' });
    expect(await built('broken')).toEqual({ code: 1, text: 'broken' });
    expect(await built('good')).toEqual({ code: 0, text: 'good' });
  });
});
