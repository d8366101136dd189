/** The cost of a killed and restarted worker, until it is idle again. */
import { setTimeout as delay } from 'node:timers/promises';
import { clockMs } from '../load/payment';
import { rounded, sum } from '../measures/statistics';
import { statementsOf } from '../ours/statements';
import type { Stack } from '../ours/stack';
import type { Parts } from '../recovery/parts';
import { tasksTaken } from './tasks';

export interface RestartFigures {
  workflow_tasks: number;
  statements: number;
  /** From its return until its last task; 0 without any task. */
  busy_s: number;
}

/** Three sweeper runs without a task: it has found everything. */
const quietMs = 8_000;
const timeoutMs = 300_000;

export async function measureRestart(stack: Stack, keeper: Parts): Promise<RestartFigures> {
  let tasks = 0;
  let busyMs = 0;
  const statements = await statementsOf(
    stack.admin,
    () => stack.pids,
    async () => {
      const backAt = await keeper.killUntilBack('worker');
      let lastTaskAt = backAt;
      while (clockMs() < lastTaskAt + quietMs) {
        if (clockMs() > backAt + timeoutMs) throw new Error('the new worker does not become idle');
        const now = (await tasksTaken(stack)) ?? tasks;
        if (now > tasks) lastTaskAt = clockMs();
        tasks = now;
        await delay(250);
      }
      busyMs = lastTaskAt - backAt;
    },
  );
  return {
    workflow_tasks: tasks,
    statements: sum(Object.values(statements)),
    busy_s: rounded(busyMs / 1_000),
  };
}
