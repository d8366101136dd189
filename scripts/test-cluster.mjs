/** `npm run test:cluster [-- jest's arguments]`: the drills, and what they are listed with, on a cluster. */
import { runTests } from './run-tests.mjs';

await runTests({
  prepare: 'dist/src/ops/cluster/prepare-tests.js',
  settings: ['--config', 'test/faults/cluster/jest.config.cjs'],
  args: process.argv.slice(2),
  env: { MALIPO_TARGET: 'cluster' },
});
