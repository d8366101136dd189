/** A worker of its own process, with what ours sets against freezes: `node busy-worker.cjs <dist> <address> <queue>`. */
const { join } = require('node:path');
const { NativeConnection, Worker } = require('@temporalio/worker');

const [dist, address, taskQueue] = process.argv.slice(2);
const { survivesFreezes } = require(join(dist, 'src', 'ops', 'frozen-worker.js'));

async function main() {
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = require.resolve('./busy-workflow.cjs');
  const worker = await Worker.create({ connection, taskQueue, workflowsPath, ...survivesFreezes });
  await worker.run();
  await connection.close();
}

void main();
