/** A worker of its own process, with what ours sets against freezes: `node busy-worker.cjs <dist> <address> <queue>`. */
const { join } = require('node:path');
const { NativeConnection } = require('@temporalio/worker');

const [dist, address, taskQueue] = process.argv.slice(2);
const { UnhurriedWorker } = require(join(dist, 'src', 'worker', 'run-worker.js'));

async function main() {
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = require.resolve('./busy-workflow.cjs');
  const worker = await UnhurriedWorker.create({ connection, taskQueue, workflowsPath });
  await worker.run();
  await connection.close();
}

void main();
