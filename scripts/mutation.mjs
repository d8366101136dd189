/** `npm run mutation [-- --only money] [--list]`; see docs/long-tests.md. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
const prepared = await handOver(['dist/tools/sandbox/services/prepare-tests.js']);
if (prepared !== 0) process.exit(prepared);
process.exitCode = await handOver(
  ['node_modules/jest/bin/jest.js', '--config', 'tools/lab/mutation/jest.config.cjs', '--runInBand'],
  { MUTATION: JSON.stringify(process.argv.slice(2)) },
);
