/** Whether anybody takes work, as Temporal tells: a worker that hangs shows healthy metrics of its own. */
import type { Client } from '@temporalio/client';
import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../../config';
import { lookAtTaskQueue, taskQueueKinds } from '../../process/task-queue';
import type { Figures } from './figures';

export function taskQueueFigures(
  registers: Registry[],
  client: Client,
  config: Pick<Config, 'temporalNamespace' | 'taskQueue'>,
): Figures {
  const labelNames = ['kind'] as const;
  const pollers = new Gauge({
    name: 'task_queue_pollers',
    help: 'Pollers that have asked Temporal for work of our task queue within the last minute, and are given any.',
    labelNames,
    registers,
  });
  const backlog = new Gauge({
    name: 'task_queue_backlog',
    help: 'Tasks that wait in our task queue for a worker, about, as Temporal tells.',
    labelNames,
    registers,
  });
  const backlogAge = new Gauge({
    name: 'task_queue_backlog_age_seconds',
    help: 'How long the oldest of these tasks has been waiting.',
    labelNames,
    registers,
  });
  return {
    what: 'the task queue',
    everyMs: 10_000,
    async show() {
      for (const kind of taskQueueKinds) {
        // What was known before says nothing while Temporal does not answer; that it does not is told by `ready`.
        const seen = await lookAtTaskQueue(client, config, kind).catch((error: unknown) => {
          for (const gauge of [pollers, backlog, backlogAge]) gauge.reset();
          throw error;
        });
        pollers.set({ kind }, seen.pollers);
        backlog.set({ kind }, seen.backlog);
        backlogAge.set({ kind }, seen.backlogAgeMs / 1_000);
      }
    },
  };
}
