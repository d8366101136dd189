/** `npm start [-- --fresh] [-- --no-demo]`: everything up on this machine; see tools/sandbox/main.ts. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/sandbox/main.js', ...process.argv.slice(2)]);
