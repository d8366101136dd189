/** `npm run fuzz:api [-- --seed N] [--cases N] [--only PATH]…`; see docs/long-tests.md. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/fuzz/described/main.js', ...process.argv.slice(2)]);
