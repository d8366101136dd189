/** `npm run test:nodes [-- PATH…]`: the unit tests on each further release of Node that we name as tested. */
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
const { fetchNode, furtherNodes } = await import('../dist/tools/sandbox/services/fetch-nodes.js');
const failed = [];
for (const version of furtherNodes) {
  const node = await fetchNode(version);
  process.stdout.write(`\nNode ${version}\n`);
  if ((await handOver(['scripts/test.mjs', 'unit', ...process.argv.slice(2)], {}, node)) !== 0)
    failed.push(version);
}
process.stdout.write(
  failed.length === 0
    ? `passed on Node ${furtherNodes.join(', ')}\n`
    : `failed on Node ${failed.join(', ')}\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
