/** Packages of the system, which two clones of a machine may want in the same moment. */
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
  // As the real one: who comes while another is at work is sent away.
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

it('who comes while another clone installs a package waits for it, and for the system itself', async () => {
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
