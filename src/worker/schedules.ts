/**
 * The recurring jobs of a deployment. Each is a Temporal Schedule: operators see, pause and trigger it in the Temporal
 * UI. Jobs that must work without Temporal (day digests, the sweeper, webhooks) are loops of the worker.
 */
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
  type ScheduleSpec,
} from '@temporalio/client';
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import type { Rail } from '../rail-kit/rail';
import type { TimeOfDay } from '../reconciliation/settings';

export interface ScheduleSettings {
  rails: readonly Pick<Rail, 'name' | 'statementSource'>[];
  /** When statements are fetched; undefined for never. */
  statementsAt: TimeOfDay | undefined;
  /** Whether this deployment has a source of exchange rates. */
  convertsMoney: boolean;
  timezone: string;
  taskQueue: string;
}

interface Job {
  /** The schedule's id, and the workflow id of each run with its time. */
  id: string;
  workflowType: string;
  args?: unknown[];
  /** The text beside the schedule and beside each run in the Temporal UI. */
  note: string;
  spec: ScheduleSpec;
  /** How late a missed run may still start. */
  catchupWindow: string;
  /** The server ends a run after this time. Otherwise a run without workers would block all later ones. */
  runMax: string;
}

/** Milliseconds until the next attempt, if Temporal does not accept the schedules. */
const againMs = 30_000;
/** Minutes between two runs of a job that is not nightly. */
const often = '10 minutes';

/** Nightly jobs use the clock of `MALIPO_TIMEZONE`, at hours with few payments. */
const pruneAt: TimeOfDay = { hour: 2, minute: 0 };
const verifyAt: TimeOfDay = { hour: 2, minute: 30 };

/** One namespace may have several deployments, each with its own task queue. */
export const scheduleIdOf = (job: string, taskQueue: string, rail?: string): string =>
  [job, taskQueue, ...(rail === undefined ? [] : [rail])].join('/');

/** @returns the jobs that this deployment schedules, and the ids of those that it does not. */
export function jobsOf({ rails, statementsAt, convertsMoney, timezone, taskQueue }: ScheduleSettings): {
  wanted: Job[];
  unwanted: string[];
} {
  const nightly = (at: TimeOfDay) => ({
    spec: { calendars: [{ ...at }], timezone, jitter: '5 minutes' },
    catchupWindow: '1 day',
    runMax: '23.5 hours',
  });
  const frequent = {
    spec: { intervals: [{ every: often }], jitter: '30 seconds' } satisfies ScheduleSpec,
    catchupWindow: '1 minute',
    runMax: '1 hour',
  };
  const id = (job: string, rail?: string) => scheduleIdOf(job, taskQueue, rail);
  const wanted: Job[] = [
    {
      id: id('nightly-prune'),
      workflowType: 'prune',
      note: 'Deletes what is older than its retention. Run it yourself with malipo prune.',
      ...nightly(pruneAt),
    },
    {
      id: id('nightly-verify'),
      workflowType: 'verify',
      note: 'Checks every invariant of the books. Run it yourself with malipo verify --changes.',
      ...nightly(verifyAt),
    },
    {
      id: id('float-check'),
      workflowType: 'floatCheck',
      note: 'Compares the balances that providers report with our books. Run it yourself with malipo float-check run.',
      ...frequent,
    },
  ];
  const unwanted: string[] = [];
  const rates: Job = {
    id: id('exchange-rates'),
    workflowType: 'exchangeRates',
    note: 'Stores what the source of exchange rates says now (MALIPO_FX_SOURCE).',
    ...frequent,
  };
  if (convertsMoney) wanted.push(rates);
  else unwanted.push(rates.id);
  for (const { name: rail, statementSource: source } of rails) {
    const statement = id('nightly-statement', rail);
    if (statementsAt && source && 'fetch' in source)
      wanted.push({
        id: statement,
        workflowType: 'reconciliation',
        args: [{ rail }],
        note: `Fetches the ${rail} statements of the last days, and compares them with our books.`,
        ...nightly(statementsAt),
      });
    else unwanted.push(statement);
  }
  return { wanted, unwanted };
}

/**
 * Creates the schedules or updates them to the settings, and deletes those of jobs that do not run here. Idempotent.
 */
async function keepSchedules(client: Client, settings: ScheduleSettings): Promise<void> {
  const { wanted, unwanted } = jobsOf(settings);
  for (const job of wanted) await keepSchedule(client, optionsOf(job, settings));
  for (const id of unwanted) await dropSchedule(client, id);
}

async function keepSchedule(client: Client, options: ScheduleOptions): Promise<void> {
  try {
    await client.schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, action, policies } = options;
    // A schedule that an operator has paused stays paused, with its note.
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

function optionsOf(job: Job, { taskQueue }: ScheduleSettings): ScheduleOptions {
  return {
    scheduleId: job.id,
    spec: job.spec,
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: job.catchupWindow as '1 day' },
    state: { note: job.note },
    action: {
      type: 'startWorkflow',
      workflowType: job.workflowType,
      workflowId: job.id,
      taskQueue,
      args: job.args ?? [],
      workflowExecutionTimeout: job.runMax,
      staticSummary: job.note,
    },
  };
}

/** Does not delay the worker's start: if Temporal does not accept the schedules now, the worker tries again. */
export function startSchedules(client: Client, settings: ScheduleSettings, log: Log): Repeating {
  let isKept = false;
  return repeat(
    async () => {
      if (isKept) return;
      await keepSchedules(client, settings);
      isKept = true;
    },
    {
      ...{ firstMs: 0, everyMs: againMs, log },
      otherwise: 'the recurring jobs could not be scheduled; the worker tries again',
    },
  );
}
