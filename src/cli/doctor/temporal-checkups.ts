import { attention, fault, ok } from '../../domain/diagnosis';
import { ageText } from '../wall-clock';
import { searchAttributeNames } from '../../domain/search-attributes';
import { lookAtTaskQueue } from '../../process/task-queue';
import { nightlyJobs, scheduleIdOf } from '../../worker/schedules';
import type { Checkup } from './checkup';

/** Longer than anybody follows up what went wrong with a workflow. What became of its payment stands in the database. */
const retentionMaxMs = 7 * 86_400_000;

/** Whether payments are driven: the server, what operators search by, and somebody to do the work. */
export const temporalCheckups: Checkup[] = [
  {
    name: 'temporal',
    async examine({ client, config }) {
      await client.workflowService.describeNamespace({ namespace: config.temporalNamespace });
      return ok(
        `Temporal answers at ${config.temporalAddress}; the namespace ${config.temporalNamespace} exists.`,
      );
    },
  },
  {
    name: 'temporal retention',
    async examine({ client, config }) {
      const { temporalNamespace: namespace } = config;
      const { config: kept } = await client.workflowService.describeNamespace({ namespace });
      const ms = Number(kept?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000;
      const sentence = `Temporal keeps what has ended for ${ageText(ms)}`;
      if (ms <= retentionMaxMs) return ok(`${sentence}.`);
      return attention(
        `${sentence}, and the database is the record: a shorter retention of ${namespace} saves Temporal room.`,
      );
    },
  },
  {
    name: 'search attributes',
    async examine({ client, config }) {
      const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
        namespace: config.temporalNamespace,
      });
      const missing = searchAttributeNames.filter((name) => customAttributes[name] === undefined);
      if (missing.length === 0)
        return ok('Payments can be searched by merchant, rail, status and reference.');
      return fault(
        `No workflow can start: these search attributes are not registered: ${missing.join(', ')}.`,
      );
    },
  },
  {
    name: 'worker',
    async examine({ client, config }) {
      const { taskQueue } = config;
      const workflows = await lookAtTaskQueue(client, config, 'workflow');
      const activities = await lookAtTaskQueue(client, config, 'activity');
      if (workflows.pollers > 0 && activities.pollers > 0)
        return ok(`A worker takes work from the task queue ${taskQueue}.`);
      const others = workflows.seen.length > 0 && activities.seen.length > 0;
      return fault(
        `No worker ${others ? 'that is given work ' : ''}takes work from the task queue ${taskQueue}: payments are accepted and stand still.`,
      );
    },
  },
  {
    name: 'recurring jobs',
    async examine({ client, config: { schedulesJobs, taskQueue, environment } }) {
      if (!schedulesJobs) {
        const sentence = 'MALIPO_SCHEDULES is off: no worker schedules the recurring jobs.';
        return environment === 'live' ? attention(sentence) : ok(sentence);
      }
      const paused: string[] = [];
      const missing = new Set(nightlyJobs.map((job) => scheduleIdOf(job, taskQueue)));
      for await (const { scheduleId, state } of client.schedule.list()) {
        if (scheduleId.split('/')[1] !== taskQueue) continue;
        missing.delete(scheduleId);
        if (state.paused) paused.push(`${scheduleId} (${state.note ?? 'without a note'})`);
      }
      if (missing.size > 0)
        return attention(`Not scheduled in Temporal: ${[...missing].join(', ')}. Is a worker running?`);
      if (paused.length > 0) return attention(`Paused in Temporal: ${paused.join(', ')}.`);
      return ok('Temporal runs the recurring jobs by their schedules.');
    },
  },
];
