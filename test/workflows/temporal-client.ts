/** The engine as an operator's tool sees it. */
import { Client, Connection } from '@temporalio/client';
import { createEngine, type Engine } from '../../src/payments/rail/engine';
import { railsOfEnv } from '../support/expect-clean';
import { testTemporalAddress } from '../support/services';
import type { Stack } from '../support/stack';

export interface TestEngine extends Engine {
  client: Client;
  close(): Promise<void>;
}

export async function connectEngine({ env }: Pick<Stack, 'env'>): Promise<TestEngine> {
  const connection = await Connection.connect({ address: testTemporalAddress() });
  const client = new Client({ connection });
  return {
    ...createEngine(client, railsOfEnv(env), {
      taskQueue: env.MALIPO_TASK_QUEUE ?? '',
      environment: 'sandbox',
      acceptanceTimeoutMs: 20_000,
    }),
    client,
    close: () => connection.close(),
  };
}
