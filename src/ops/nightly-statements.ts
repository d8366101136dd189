/** The providers' statements are fetched each night, one Temporal Schedule for each rail whose provider has an API for it. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';
import type { Log } from '../domain/log';
import type { Rail } from '../payments/rail/rail';
import type { TimeOfDay } from '../reconciliation/settings';

interface NightlySettings {
  /** Undefined where nothing is fetched by itself. */
  at: TimeOfDay | undefined;
  timezone: string;
  taskQueue: string;
}

const againMs = 30_000;
/** More than its steps may take. One whose workers are gone (workflows/versions.ts) would hold up the next night. */
const nightMax = '23.5 hours';

/** One namespace may have several deployments, each with a task queue of its own. */
export const scheduleIdOf = (rail: string, taskQueue: string): string =>
  `nightly-statement/${taskQueue}/${rail}`;

/** Creates the schedules, or brings them to what the settings say; those of nothing that is fetched go. Safe to repeat. */
async function keepSchedules(
  client: Client,
  rails: readonly Rail[],
  settings: NightlySettings,
): Promise<void> {
  const { at } = settings;
  for (const { name, statementSource: source } of rails) {
    if (at && source && 'fetch' in source) await keepSchedule(client, optionsOf(name, at, settings));
    else await dropSchedule(client, scheduleIdOf(name, settings.taskQueue));
  }
}

async function keepSchedule(client: Client, options: ScheduleOptions): Promise<void> {
  try {
    await client.schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, action, policies } = options;
    // What an operator has paused stays so.
    await client.schedule
      .getHandle(options.scheduleId)
      .update(({ state }) => ({ state, spec, action, ...(policies && { policies }) }));
  }
}

async function dropSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

function optionsOf(
  rail: string,
  { hour, minute }: TimeOfDay,
  { timezone, taskQueue }: NightlySettings,
): ScheduleOptions {
  return {
    scheduleId: scheduleIdOf(rail, taskQueue),
    spec: { calendars: [{ hour, minute }], timezone, jitter: '5 minutes' },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
    action: {
      type: 'startWorkflow',
      workflowType: 'reconciliation',
      workflowId: `reconciliation/${taskQueue}/${rail}`,
      taskQueue,
      args: [{ rail }],
      workflowExecutionTimeout: nightMax,
    },
  };
}

interface NightlyStatements {
  stop(): Promise<void>;
}

/** Does not keep the worker from its start: where Temporal does not take the schedules now, it is asked again. */
export function scheduleStatements(
  client: Client,
  rails: readonly Rail[],
  { log, ...settings }: NightlySettings & { log: Log },
): NightlyStatements {
  const stopping = new AbortController();
  const { signal } = stopping;
  const keeping = untilKept();

  async function untilKept(): Promise<void> {
    while (!signal.aborted) {
      try {
        await keepSchedules(client, rails, settings);
        return;
      } catch (error) {
        log.warn('the nightly statements could not be scheduled; it is tried again', { error });
      }
      await delay(againMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    stop() {
      stopping.abort();
      return keeping;
    },
  };
}
