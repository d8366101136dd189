/** `npm run cluster [-- --fresh] [-- --no-demo]`: the shape of production on this machine; see tools/cluster/main.ts. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/cluster/main.js', ...process.argv.slice(2)]);
