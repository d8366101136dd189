/** `npm run cluster [-- --fresh] [-- --no-demo]`: the shape of production on this machine; see src/ops/cluster/main.ts. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/src/ops/cluster/main.js', ...process.argv.slice(2)]);
