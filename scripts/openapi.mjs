/** `npm run openapi`: writes docs/openapi.json anew, from what the code runs on. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
process.exitCode = await handOver(['dist/tools/docs-site/write-openapi.js']);
