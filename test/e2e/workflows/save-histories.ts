/** Saves the histories that are missing: one real payment for each. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulatorControl } from '../../support/rails/simulator-control';
import { startStack, type StackOptions } from '../../support/stack';
import type { Tale } from './stage';
import { tales } from './tales';
import { connectEngine } from '../../support/workflows/temporal-client';

const patienceMs = 60_000;

export const stories = Object.keys(tales);

/** What tells where and by whom a history was made, and nothing about the workflow. */
const untold = new Set([
  'identity',
  'stackTrace',
  'binaryChecksum',
  'workerVersion',
  'buildId',
  'inheritedBuildId',
]);

interface MessageClass {
  toObject(message: object, options: { longs: NumberConstructor; bytes: StringConstructor }): unknown;
}

/**
 * The history as plain JSON that the replayer takes as it is. The SDK's historyToJSON fails wherever npm has installed
 * protobufjs more than once, as it does here.
 */
function textOf(history: object): string {
  const plain = (history.constructor as unknown as MessageClass).toObject(history, {
    longs: Number,
    bytes: String,
  });
  const told = JSON.stringify(plain, (key, value: unknown) => (untold.has(key) ? undefined : value), 1);
  return `${told}\n`;
}

/** What was saved once is never made anew: it was written by the code that payments under way were started with. */
export async function saveMissingHistories(folder: string): Promise<void> {
  const fileOf = (name: string) => join(folder, `${name}.json`);
  const missing = Object.entries(tales).filter(([name]) => !existsSync(fileOf(name)));
  for (const timeScale of new Set(missing.map(([, tale]) => tale.timeScale))) {
    const group = missing.filter(([, tale]) => tale.timeScale === timeScale);
    await saveAll(group, { timeScale, env: { MALIPO_ENQUEUED_MAX: '1' } }, fileOf);
  }
}

async function saveAll(
  wanted: [string, Tale][],
  options: StackOptions,
  fileOf: (name: string) => string,
): Promise<void> {
  const stack = await startStack(options);
  const engine = await connectEngine(stack);
  try {
    for (const [name, { live }] of wanted) {
      const merchant = await stack.createMerchant();
      const provider = (rail: string) => simulatorControl(stack.simulatorUrl, rail);
      const over = (workflowId: string) =>
        engine.client.withDeadline(Date.now() + patienceMs, () =>
          engine.client.workflow.getHandle(workflowId).result(),
        );
      const workflowId = await live({ stack, merchant, engine, provider, over });
      const history = await engine.client.workflow.getHandle(workflowId).fetchHistory();
      writeFileSync(fileOf(name), textOf(history));
    }
  } finally {
    await engine.close();
    await stack.stop();
  }
}
