/** System packages, which two clones on a machine may want at the same time. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { tryCommand } from '../../../tools/sandbox/services/run-command';

const packages = join(
  __dirname,
  '..',
  '..',
  '..',
  'dist',
  'tools',
  'sandbox',
  'services',
  'debian-packages.js',
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-apt-'));
  const program = join(folder, 'apt-get');
  // Like the real one: it fails while another one runs.
  writeFileSync(
    program,
    `#!/bin/sh
echo "$*" >> "$HOME/asked"
mkdir "$HOME/lock" || { echo "is another process using it?" >&2; exit 100; }
sleep 0.3
rmdir "$HOME/lock"
`,
  );
  chmodSync(program, 0o755);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('a start waits while another clone, or the system itself, installs a package', async () => {
  const install = () =>
    tryCommand(process.execPath, ['-e', `require(${JSON.stringify(packages)}).installPackages(['some'])`], {
      env: { PATH: [folder, '/usr/bin', '/bin'].join(delimiter), HOME: folder },
    });
  const ended = await Promise.all([install(), install(), install()]);
  expect(ended.map(({ code, output }) => [code, code === 0 ? '' : output])).toEqual(ended.map(() => [0, '']));
  const installed = readFileSync(join(folder, 'asked'), 'utf8').match(/^.*install.*some$/gm);
  expect(installed).toHaveLength(3);
  expect(installed?.[0]).toContain('DPkg::Lock::Timeout=300');
});
