/** `npm run fuzz [-- --seed N] [--minutes M] [--requests R] [--replay LINE]`; see docs/long-tests.md. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/fuzz/main.js', ...process.argv.slice(2)]);
