/** Lints docs/openapi.json with Redocly's recommended rules; prints nothing without an error. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const linter = fileURLToPath(new URL('../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [linter, 'lint', '--extends=recommended-strict', 'docs/openapi.json'],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    // Otherwise it checks for updates and sends telemetry.
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
);
if (status !== 0) process.stderr.write(`${stdout}${stderr}`);
process.exitCode = status ?? 1;
