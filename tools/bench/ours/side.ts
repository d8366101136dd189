/** Our payments, from the merchant's request to the merchant's webhook. */
import { waitFor } from '../../sandbox/services/wait-for';
import type { Database } from '../../../src/store/database';
import { closedLoop } from '../load/closed-loop';
import type { Pay } from '../load/payment';
import { historiesOf } from '../measures/histories';
import type { Side } from '../measures/side';
import { withTemporalClient } from '../measures/temporal-client';
import { statementsOf } from './statements';
import type { Stack } from './stack';

const quietTimeoutMs = 60_000;

export function ourSide(
  stack: Pick<Stack, 'pids' | 'db' | 'admin' | 'temporal'>,
  name: string,
  pay: Pay,
): Side {
  return {
    name,
    closedLoop: (plan) => closedLoop(pay, plan),
    pids: { ...stack.pids, driver: process.pid },
    quiet: () => untilQuiet(stack.db),
    statements: (work) => statementsOf(stack.admin, () => stack.pids, work),
    async histories(ids) {
      const rows = await stack.db('payments').whereIn('payment_id', ids).select('workflow_id');
      return withTemporalClient(stack.temporal, (client) =>
        historiesOf(
          client,
          rows.map((row) => row.workflow_id),
        ),
      );
    },
  };
}

/** A webhook arrives before its delivery is stored. */
export async function untilQuiet(db: Database, timeoutMs = quietTimeoutMs): Promise<void> {
  await waitFor(
    async () => (await db('outbox').where({ state: 'pending' }).first('webhook_id')) === undefined,
    {
      what: 'the last deliveries to be stored',
      timeoutMs,
    },
  );
}
