/** `npm test [-- jest's arguments]`: prepares the clone, runs jest, and closes with its totals on one line. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
const prepared = await handOver(['dist/src/ops/services/prepare-tests.js']);
if (prepared !== 0) process.exit(prepared);

const folder = mkdtempSync(join(tmpdir(), 'malipo-totals-'));
const totals = join(folder, 'totals');
try {
  // The exit code is jest's own; the totals only repeat what it counted.
  process.exitCode = await handOver(['node_modules/jest/bin/jest.js', ...process.argv.slice(2)], {
    MALIPO_TEST_TOTALS: totals,
  });
  process.stdout.write(readFileSync(totals, 'utf8'));
} catch {
  process.stderr.write('jest ended before it could count its tests\n');
  process.exitCode ||= 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
