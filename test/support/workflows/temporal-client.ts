/** The engine as an operator's tool uses it. */
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { isSettled } from '../../../src/domain/payment';
import { createEngine, type Engine } from '../../../src/rail-kit/engine';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { railsOfEnv } from '../expect-clean';
import { testTemporal } from '../temporal';
import type { Stack } from '../stack';

export interface TestEngine extends Engine {
  /** As `malipo sandbox advance`, for one payment: a paid payment without a workflow remains only as its row. */
  advance: Engine['advance'];
  client: Client;
  close(): Promise<void>;
}

export async function connectEngine({ db, env }: Pick<Stack, 'db' | 'env'>): Promise<TestEngine> {
  const { options, namespace } = testTemporal();
  const connection = await Connection.connect(options);
  const client = new Client({ connection, namespace });
  const engine = createEngine(client, railsOfEnv(env), {
    taskQueue: env.MALIPO_TASK_QUEUE ?? '',
    environment: 'sandbox',
    creationTimeoutMs: 20_000,
  });
  return {
    ...engine,
    async advance(payment, ms) {
      const { payment_id } = payment;
      const { state } = await getPaymentOrThrow(db, payment_id);
      if (isSettled(state)) {
        await db('payments')
          .where({ payment_id })
          .update({
            // Due now, and not in months: verify would report such a payment as without a check.
            next_check_at: db.raw(
              'GREATEST(next_check_at - INTERVAL ? MICROSECOND, LEAST(next_check_at, UTC_TIMESTAMP(3)))',
              [ms * 1_000],
            ),
          })
          .increment('clock_ahead_ms', ms);
      }
      await engine.advance(payment, ms).catch(async (error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return;
        // Otherwise a workflow that ends just now fails the update.
        if (!isSettled((await getPaymentOrThrow(db, payment_id)).state)) throw error;
      });
    },
    client,
    close: () => connection.close(),
  };
}
