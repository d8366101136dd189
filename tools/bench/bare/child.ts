/** What the two processes of the bare side tell their parent, and are told by it. */

import type { WorkerOptions } from '@temporalio/worker';
import type { TemporalSettings } from '../../../src/process/temporal-connection';

/** What a worker may be told otherwise than ours is. */
export type WorkerSettings = Pick<
  WorkerOptions,
  | 'workflowTaskPollerBehavior'
  | 'activityTaskPollerBehavior'
  | 'maxCachedWorkflows'
  | 'reuseV8Context'
  | 'workflowThreadPoolSize'
  | 'maxEagerActivityReservationsPerWorkflowTask'
>;

export interface ChildSettings {
  temporal: TemporalSettings;
  taskQueue: string;
  /** Where the bundled workflow code lies. */
  bundle: string;
  worker?: WorkerSettings;
}

export type Told = { kind: 'ready' } | { kind: 'done'; result: unknown } | { kind: 'failed'; why: string };

export function settings(): ChildSettings {
  return JSON.parse(process.argv[2] ?? '') as ChildSettings;
}

/** Says that this process is ready, does each task that it is given, and ends with its parent. */
export function serveParent(work?: (task: unknown) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (task: unknown) => {
    void work?.(task).then(
      (result) => tell({ kind: 'done', result }),
      (error: unknown) =>
        tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
    );
  });
  tell({ kind: 'ready' });
}

function tell(told: Told): void {
  process.send?.(told);
}
