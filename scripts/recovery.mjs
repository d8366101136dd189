/** `npm run bench:recovery [-- --json] [--rounds N]`; progress goes to stderr, results to stdout. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/bench/recovery/main.js', ...process.argv.slice(2)]);
