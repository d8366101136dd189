/** `npm run bench [-- --json]`, on the Node of our images; progress goes to stderr, results to stdout. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
const { fetchNode, imageNode } = await import('../dist/tools/sandbox/services/fetch-nodes.js');
const node = process.version === `v${imageNode}` ? process.execPath : await fetchNode(imageNode);
process.exitCode = await handOver(['dist/tools/bench/main.js', ...process.argv.slice(2)], {}, node);
