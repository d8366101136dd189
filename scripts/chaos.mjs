/** `npm run chaos [-- --seed N --seeds 20 --minutes 3]`; see docs/long-tests.md. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
const prepared = await handOver(['dist/tools/sandbox/services/prepare-tests.js']);
if (prepared !== 0) process.exit(prepared);
process.exitCode = await handOver(
  ['node_modules/jest/bin/jest.js', '--config', 'tools/lab/chaos/jest.config.cjs', '--runInBand'],
  { CHAOS: JSON.stringify(process.argv.slice(2)) },
);
