/** How many workflow tasks the worker got, by its own metric. */
import { request } from 'undici';
import type { Stack } from '../ours/stack';

const counted = /^temporal_workflow_task_queue_poll_succeed_total\{[^}]*\} (\d+)$/gm;

/** Since its start; undefined while no worker reports. */
export async function tasksTaken({ env }: Pick<Stack, 'env'>): Promise<number | undefined> {
  try {
    const answer = await request(`http://${env['MALIPO_WORKER_METRICS'] ?? ''}/metrics`);
    const text = await answer.body.text();
    return [...text.matchAll(counted)].reduce((sum, [, count]) => sum + Number(count), 0);
  } catch {
    return undefined;
  }
}
