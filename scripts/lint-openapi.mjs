/** Holds docs/openapi.json against the rules that Redocly recommends; silent where nothing is wrong. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const linter = fileURLToPath(new URL('../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [linter, 'lint', '--extends=recommended-strict', 'docs/openapi.json'],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    // It would ask its maker for news, and tell of itself.
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
);
if (status !== 0) process.stderr.write(`${stdout}${stderr}`);
process.exitCode = status ?? 1;
