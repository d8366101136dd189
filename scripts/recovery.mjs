/** `npm run recovery [-- --json] [--rounds N]`; progress is on stderr, so stdout holds the figures alone. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/bench/recovery/main.js', ...process.argv.slice(2)]);
