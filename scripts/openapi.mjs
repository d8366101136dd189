/** `npm run openapi`: writes docs/openapi.json, generated from the code. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/docs-site/write-openapi.js']);
