/** What delayed the slowest payment, by its workflow's history. */
import { Client, Connection } from '@temporalio/client';
import type { Database } from '../../../../src/store/database';
import type { TemporalClusterPlan } from '../../../../tools/cluster/temporal';
import type { SentRequest } from './steady-load';

/** Each event, and its time since the call; undefined if nothing was accepted. */
export async function historyOfSlowest(
  { connection: line, namespace }: Pick<TemporalClusterPlan, 'connection' | 'namespace'>,
  db: Database,
  asked: readonly SentRequest[],
): Promise<string | undefined> {
  const [slowest] = asked.filter(({ paymentId }) => paymentId).sort((a, b) => b.tookMs - a.tookMs);
  if (slowest?.paymentId === undefined) return undefined;
  const row = await db('payments')
    .where({ payment_id: slowest.paymentId })
    .first<{ workflow_id: string }>('workflow_id');
  const connection = await Connection.connect(line);
  try {
    const client = new Client({ connection, namespace });
    const { events } = await client.workflow.getHandle(row.workflow_id).fetchHistory();
    const began = performance.timeOrigin + slowest.beganMs;
    const lines = (events ?? []).map((event) => {
      const atMs = Number(event.eventTime?.seconds) * 1_000 + Number(event.eventTime?.nanos) / 1e6;
      const [what = ''] = Object.keys(event).filter((key) => key.endsWith('EventAttributes'));
      return `  ${(atMs - began).toFixed(0)} ms: ${what.replace('EventAttributes', '')}`;
    });
    return [`${row.workflow_id} was answered after ${slowest.tookMs.toFixed(0)} ms:`, ...lines, ''].join(
      '\n',
    );
  } finally {
    await connection.close();
  }
}
