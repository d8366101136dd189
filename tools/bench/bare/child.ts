/** The messages between the two processes of the bare side and their parent. */

import type { WorkerOptions } from '@temporalio/worker';
import type { TemporalSettings } from '../../../src/process/temporal-connection';

/** A worker's settings that may differ from ours. */
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
  /** The path of the bundled workflow code. */
  bundle: string;
  worker?: WorkerSettings;
}

export type ChildReport =
  { kind: 'ready' } | { kind: 'done'; result: unknown } | { kind: 'failed'; why: string };

export function settings(): ChildSettings {
  return JSON.parse(process.argv[2] ?? '') as ChildSettings;
}

/** Reports that this process is ready, runs each task it gets, and ends with its parent. */
export function serveParent(work?: (task: unknown) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (task: unknown) => {
    void work?.(task).then(
      (result) => report({ kind: 'done', result }),
      (error: unknown) =>
        report({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
    );
  });
  report({ kind: 'ready' });
}

function report(reported: ChildReport): void {
  process.send?.(reported);
}
