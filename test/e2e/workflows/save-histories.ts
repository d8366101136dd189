/** Saves the missing histories: one real payment for each. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulatorControl } from '../../support/rails/simulator-control';
import { startStack, type StackOptions } from '../../support/stack';
import type { Tale } from './stage';
import { tales } from './tales';
import { connectEngine } from '../../support/workflows/temporal-client';

const patienceMs = 60_000;

export const recordings = Object.keys(tales);

/** Fields about where and by whom a history was made, which say nothing about the workflow. */
const unreported = new Set([
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
 * The history as plain JSON for the replayer. The SDK's historyToJSON fails if npm has installed protobufjs more than
 * once, as here.
 */
function textOf(history: object): string {
  const plain = (history.constructor as unknown as MessageClass).toObject(history, {
    longs: Number,
    bytes: String,
  });
  const reported = JSON.stringify(
    plain,
    (key, value: unknown) => (unreported.has(key) ? undefined : value),
    1,
  );
  return `${reported}\n`;
}

/** A saved history is never made again: it was written by the code that started open payments. */
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
