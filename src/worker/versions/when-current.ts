/**
 * What a worker does beside its tasks (it sweeps, looks, prunes, proves, schedules) works on the same rows as the tasks
 * do. Where workers have versions, it is done by those alone that are given tasks: a build that nobody has promoted, or
 * that was replaced, leaves the database and the schedules alone.
 */
import type { Log } from '../../domain/log';
import { repeat, stopAll, type Repeating } from '../../domain/repeat';
import { isSame, readTaskQueue } from '../../process/task-queue';
import type { Place } from './server-view';
import type { WorkerVersion } from './settings';

const askEveryMs = 10_000;
const answeredMaxMs = 10_000;

/** Whether this version is given tasks just now: it is current, or ramps. */
export async function isGivenTasks({
  client,
  namespace: temporalNamespace,
  taskQueue,
  deployment: { name, buildId },
}: Place & { deployment: WorkerVersion }): Promise<boolean> {
  const { receivers } = await client.withDeadline(Date.now() + answeredMaxMs, () =>
    readTaskQueue(client, { temporalNamespace, taskQueue }, 'workflow'),
  );
  return receivers.some((one) => isSame(one, { deployment: name, buildId }));
}

export interface Duty {
  /** Where it does not answer, the last answer holds; until the first one, that it is not. */
  isOnDuty: () => Promise<boolean>;
  start: () => Repeating[];
  log: Log;
  everyMs?: number;
}

/** Starts the chores whenever the turn comes, and stops them when it is over. */
export function whileOnDuty({ isOnDuty, start, log, everyMs = askEveryMs }: Duty): Repeating {
  let running: Repeating[] | undefined;

  async function turn(): Promise<void> {
    const wanted = await isOnDuty();
    if (wanted && !running) {
      running = start();
      log.info('this version of the workers is given tasks, and does the chores');
    } else if (!wanted && running) {
      log.info('this version of the workers is given no tasks any more, and leaves the chores to others');
      await stopAll(running);
      running = undefined;
    }
  }

  const turns = repeat(turn, {
    ...{ everyMs, firstMs: 0, log },
    otherwise: 'it could not be seen whether this version of the workers is given tasks',
  });
  return {
    async stop() {
      await turns.stop();
      if (running) await stopAll(running);
    },
  };
}
