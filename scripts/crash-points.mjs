/** `npm run crash-points [-- --rail stk] [--operation stk/push] [--only NAME] [--list]`; see docs/long-tests.md. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
const prepared = await handOver(['dist/tools/sandbox/services/prepare-tests.js']);
if (prepared !== 0) process.exit(prepared);
process.exitCode = await handOver(
  ['node_modules/jest/bin/jest.js', '--config', 'tools/lab/crash/jest.config.cjs', '--runInBand'],
  { CRASH_POINTS: JSON.stringify(process.argv.slice(2)) },
);
