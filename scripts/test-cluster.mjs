/** `npm run test:cluster [-- jest's arguments]`: the drills, and what they are listed with, on a cluster. */
import { bootstrap, handOver } from './bootstrap.mjs';
import { testRun } from './run-tests.mjs';

await bootstrap();
const prepared = await handOver(['dist/tools/cluster/prepare-tests.js']);
if (prepared !== 0) process.exit(prepared);
const run = testRun({ MALIPO_TARGET: 'cluster' });
await run.run({
  title: 'cluster',
  args: ['--config', 'test/faults/cluster/jest.config.cjs', ...process.argv.slice(2)],
});
run.close();
