/** `npm run bench [-- --json]`; progress is on stderr, so stdout holds the figures alone. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/bench/main.js', ...process.argv.slice(2)]);
