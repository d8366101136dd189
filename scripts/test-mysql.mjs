/** `npm run test:mysql [-- PATH…]`: the tests, or some, on Oracle's MySQL instead of MariaDB; see docs/testing.md. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
const { fetchMysql } = await import('../dist/tools/sandbox/services/fetch-mysql.js');
const server = await fetchMysql();
// MySQL waits for the disk at each of its many changes of a schema: three times as long as in memory.
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'malipo-mysql-'));
const env = { MALIPO_MYSQL_SERVER: server, TMPDIR: folder };
const paths = process.argv.slice(2);
// The tier of tools knows MariaDB only: its dumps, and its log of statements.
const runs = paths.length === 0 ? [['everyday'], ['e2e'], ['faults']] : [['everyday', ...paths]];
for (const tests of runs) {
  const code = await handOver(['scripts/test.mjs', ...tests], env);
  process.exitCode ||= code;
}
rmSync(folder, { recursive: true, force: true });
