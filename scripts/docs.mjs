/** `npm run docs`: writes the documentation below dist/site, as static files. The build does the same. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/docs-site/write-site.js']);
