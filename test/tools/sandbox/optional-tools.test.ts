/** Tools that only some tests and `npm run cluster` use: if one is not available, everything else works without it. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { tryCommand } from '../../../tools/sandbox/services/run-command';

const prepare = join(__dirname, '..', '..', '..', 'dist', 'tools', 'sandbox', 'services', 'prepare-tests.js');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-optional-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('a tool that is offline, or cannot be built, is reported in a line, and the tests begin', async () => {
  for (const name of ['go', 'apt-get']) {
    const program = join(folder, name);
    writeFileSync(
      program,
      `#!/bin/sh\necho "what else is said"\necho "${name}: no way to the servers" >&2\nexit 1\n`,
    );
    chmodSync(program, 0o755);
  }
  const { code, output } = await tryCommand(
    process.execPath,
    [prepare, 'temporal', 'mysql', 'deploy-tools'],
    {
      env: {
        PATH: [folder, '/usr/bin', '/bin'].join(delimiter),
        // Nothing was fetched before.
        HOME: folder,
        MALIPO_TEST_TEMPORAL_ADDRESS: 'given',
        MALIPO_TEST_DATABASE_URL: 'given',
      },
    },
  );
  expect(output).toMatch(/^it is skipped: .*go install .* ended with 1: go: no way to the servers$/m);
  expect(output).toContain('the tests of the deployment files are skipped');
  expect(code).toBe(0);
});
