/** `npm run docker-drill -- sandbox | production`: the Compose files, run for real in a Docker of their own; see docs/long-tests.md. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/docker-drill/main.js', ...process.argv.slice(2)]);
