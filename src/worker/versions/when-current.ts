/**
 * A worker's jobs beside its tasks (sweeper, late checks, prune, verify, schedules) use the same rows as the tasks.
 * With worker versions, only versions that receive tasks run them. A build that was not promoted, or was replaced, does
 * not touch the database or the schedules.
 */
import type { Log } from '../../domain/log';
import { repeat, stopAll, type Repeating } from '../../domain/repeat';
import { isSame, readTaskQueue } from '../../process/task-queue';
import type { DeploymentAddress } from './server-view';
import type { WorkerVersion } from './settings';

const askEveryMs = 10_000;
const answeredMaxMs = 10_000;

/** Whether this version receives tasks now: it is current, or ramps. */
export async function getsTasks({
  client,
  namespace: temporalNamespace,
  taskQueue,
  deployment: { name, buildId },
}: DeploymentAddress & { deployment: WorkerVersion }): Promise<boolean> {
  const { receivers } = await client.withDeadline(Date.now() + answeredMaxMs, () =>
    readTaskQueue(client, { temporalNamespace, taskQueue }, 'workflow'),
  );
  return receivers.some((one) => isSame(one, { deployment: name, buildId }));
}

export interface CurrentOnly {
  /** Without an answer, the last answer stays valid; before the first one, the version is not current. */
  isCurrent: () => Promise<boolean>;
  start: () => Repeating[];
  log: Log;
  everyMs?: number;
}

/** Starts the jobs when this version becomes current, and stops them when it no longer is. */
export function whileCurrent({ isCurrent, start, log, everyMs = askEveryMs }: CurrentOnly): Repeating {
  let running: Repeating[] | undefined;

  async function turn(): Promise<void> {
    const wanted = await isCurrent();
    if (wanted && !running) {
      running = start();
      log.info('this version of the workers receives tasks, and runs the recovery jobs');
    } else if (!wanted && running) {
      log.info('this version of the workers no longer receives tasks, and stops its recovery jobs');
      await stopAll(running);
      running = undefined;
    }
  }

  const turns = repeat(turn, {
    ...{ everyMs, firstMs: 0, log },
    otherwise: 'it could not be read whether this version of the workers receives tasks',
  });
  return {
    async stop() {
      await turns.stop();
      if (running) await stopAll(running);
    },
  };
}
