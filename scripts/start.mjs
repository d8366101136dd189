/** `npm start [-- --fresh] [-- --no-demo]`: everything up on this machine; see src/ops/start/main.ts. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/src/ops/start/main.js', ...process.argv.slice(2)]);
