/**
 * `npm run check`: the static checks, two at a time, because each uses one processor. All of them run, even after a
 * failure. Each check's output follows its line.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const atOnce = 2;

/** The longest first. Tests and the rest are linted separately: both need the types of all files. */
const checks = [
  { name: 'lint, tests', npm: ['exec', '--', 'eslint', '--max-warnings', '0', 'test'] },
  {
    name: 'lint, all but tests',
    npm: ['exec', '--', 'eslint', '--max-warnings', '0', '--ignore-pattern', 'test/', '.'],
  },
  ...['format', 'types', 'boundaries', 'dead-code', 'openapi'].map((name) => ({
    name,
    npm: ['run', '--silent', `check:${name}`],
  })),
];

const waiting = [...checks];
await Promise.all(Array.from({ length: atOnce }, lane));

async function lane() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await run(check);
}

async function run({ name, npm }) {
  const startedAt = Date.now();
  const child = spawn('npm', npm, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', resolve);
  });
  const seconds = String(Math.round((Date.now() - startedAt) / 1_000));
  process.stdout.write(
    `${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n${Buffer.concat(output).toString()}`,
  );
  if (code !== 0) process.exitCode = 1;
}
