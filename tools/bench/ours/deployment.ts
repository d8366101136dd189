/** The whole product, a merchant and the merchant's endpoint, for a single measurement. */
import { step } from '../../sandbox/services/progress';
import type { Supervisor } from '../../sandbox/supervisor';
import { merchantClient, type MerchantClient } from './merchant';
import { startReceiver, type Receiver } from './receiver';
import { untilQuiet } from './side';
import { startStack, type Stack } from './stack';

export interface Deployment {
  stack: Stack;
  merchant: MerchantClient;
  receiver: Receiver;
}

export interface DeploymentOptions {
  /** Settings of the processes, which override the sandbox's. */
  settings?: Record<string, string>;
  keeper?: Supervisor;
  /** Further options of Node, by the name of the process. */
  nodeArgs?: (name: string) => readonly string[];
}

/** Measures, verifies the books, and stops everything. @throws what `malipo verify` found. */
export async function inDeployment<T>(
  folder: string,
  measure: (deployment: Deployment) => Promise<T>,
  { settings = {}, keeper, nodeArgs }: DeploymentOptions = {},
): Promise<T> {
  const receiver = await startReceiver();
  const stack = await startStack(folder, receiver.url, settings, keeper, nodeArgs);
  const merchant = merchantClient(stack.apiUrl, stack.merchant, receiver);
  try {
    const figures = await measure({ stack, merchant, receiver });
    await untilQuiet(stack.db);
    await step('verifying the books', () => stack.verify());
    return figures;
  } finally {
    await merchant.close();
    receiver.close();
    await stack.stop();
  }
}
