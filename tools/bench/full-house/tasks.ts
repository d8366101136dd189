/** How often the worker was given a workflow to go on with, as its own metric counts. */
import { request } from 'undici';
import type { Stack } from '../ours/stack';

const counted = /^temporal_workflow_task_queue_poll_succeed_total\{[^}]*\} (\d+)$/gm;

/** Since it was started; undefined while there is no worker that tells. */
export async function tasksTaken({ env }: Pick<Stack, 'env'>): Promise<number | undefined> {
  try {
    const answer = await request(`http://${env['MALIPO_WORKER_METRICS'] ?? ''}/metrics`);
    const text = await answer.body.text();
    return [...text.matchAll(counted)].reduce((sum, [, count]) => sum + Number(count), 0);
  } catch {
    return undefined;
  }
}
