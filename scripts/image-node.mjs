/** Bootstraps, and prints the folder of the Node that our images have, for PATH: `.ci/run` runs everything on it. */
import { dirname } from 'node:path';
import { bootstrap } from './bootstrap.mjs';

await bootstrap();
const { fetchNode, imageNode } = await import('../dist/tools/sandbox/services/fetch-nodes.js');
process.stdout.write(`${dirname(await fetchNode(imageNode))}\n`);
