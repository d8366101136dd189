/** `npm test [-- jest's arguments]`: prepares the clone, runs the tests, and closes with their totals. */
import { runTests } from './run-tests.mjs';

await runTests({ prepare: 'dist/src/ops/services/prepare-tests.js', args: process.argv.slice(2) });
