import type { Config } from '../../config';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { isThisMachine } from '../../domain/ip-address';
import { searchAttributeTypes } from '../../domain/search-attributes';
import { rateSource } from '../../fx/source';
import { readTaskQueue, unversioned, type TaskQueueState } from '../../process/task-queue';
import { readDatabaseUrl } from '../../store/database-address';
import { certificatesOf, type CertificateName } from '../../telemetry/figures/certificate-figures';
import { jobsOf } from '../../worker/schedules';
import { viewDeployment, type DeploymentView, type Version } from '../../worker/versions/server-view';
import { count, ageText } from '../table';
import type { Checkup } from './checkup';

/** Nobody analyses a workflow that ended longer ago. The database has the history of its payment. */
const retentionMaxMs = 7 * 86_400_000;

/** Checks the Temporal server, its search attributes, the workers and the recurring jobs. */
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
      const sentence = `Temporal stores ended workflows for ${ageText(ms)}`;
      if (ms <= retentionMaxMs) return ok(`${sentence}.`);
      return attention(
        `${sentence}. The database is the record: a shorter retention of ${namespace} saves disk space.`,
      );
    },
  },
  {
    name: 'search attributes',
    async examine({ client, config }) {
      const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
        namespace: config.temporalNamespace,
      });
      const missing = searchAttributeTypes
        .filter(({ name }) => customAttributes[name] === undefined)
        .map(({ name, type }) => `${name} (${type})`);
      if (missing.length === 0)
        return ok(
          'You can search payments by merchant, rail, kind, provider, status, reference, hold and open case.',
        );
      return fault(
        `No workflow can start, because these search attributes are not registered: ${missing.join(', ')}. See docs/temporal.md.`,
      );
    },
  },
  {
    name: 'worker',
    async examine({ client, config }) {
      const { taskQueue } = config;
      const workflows = await readTaskQueue(client, config, 'workflow');
      const activities = await readTaskQueue(client, config, 'activity');
      if (workflows.pollers > 0 && activities.pollers > 0)
        return ok(`A worker polls the task queue ${taskQueue}.`);
      const others = workflows.seen.length > 0 && activities.seen.length > 0;
      return fault(
        `No worker ${others ? 'that gets tasks ' : ''}polls the task queue ${taskQueue}: the API accepts payments, but they do not continue.`,
      );
    },
  },
  {
    name: 'recurring jobs',
    async examine({ client, config: { schedulesJobs, taskQueue, timezone, environment, fxSource } }) {
      if (!schedulesJobs) {
        const sentence = 'MALIPO_SCHEDULES is off: no worker schedules the recurring jobs.';
        return environment === 'live' ? attention(sentence) : ok(sentence);
      }
      const paused: string[] = [];
      // The check `statements` covers the jobs that fetch statements.
      const jobs = jobsOf({
        ...{ rails: [], statementsAt: undefined, timezone, taskQueue },
        convertsMoney: rateSource(fxSource, environment) !== undefined,
      });
      const missing = new Set(jobs.wanted.map(({ id }) => id));
      for await (const { scheduleId, state } of client.schedule.list()) {
        if (scheduleId.split('/')[1] !== taskQueue) continue;
        missing.delete(scheduleId);
        if (state.paused) paused.push(`${scheduleId} (${state.note ?? 'without a note'})`);
      }
      const complaints = [
        missing.size > 0 &&
          `Not scheduled in Temporal: ${[...missing].join(', ')}; the next worker that starts schedules them.`,
        paused.length > 0 && `Paused in Temporal: ${paused.join(', ')}.`,
      ].filter((complaint) => complaint !== false);
      if (complaints.length > 0) return attention(complaints.join(' '));
      return ok('Temporal has a schedule for each recurring job.');
    },
  },
];

/** Checks that each version with open workflows has workers. */
export const versionCheckups: Checkup[] = [
  {
    name: 'worker versions',
    async examine({ versions: place, client, config }) {
      if (!place) return judgeWithout(await readTaskQueue(client, config, 'workflow'));
      const view = await viewDeployment(place);
      return view
        ? judge(view)
        : fault(`Temporal has never seen a worker of the deployment ${place.deployment.name}.`);
    },
  },
];

/** A version that is current stays current, whatever the settings of later workers are. */
function judgeWithout({ receivers, seen }: TaskQueueState): Diagnosis {
  const named = receivers.flatMap((one) => (one === unversioned ? [] : [one]));
  if (named.length === 0)
    return ok('Workers have no versions: each worker takes any task (MALIPO_DEPLOYMENT is not set).');
  const names = named.map(({ deployment, buildId }) => `${buildId} of ${deployment}`).join(' and ');
  const without = seen.filter((one) => one === unversioned).length;
  return fault(
    `Temporal gives tasks to version ${names}, and none to ${without === 0 ? 'workers' : count(without, 'worker')} ` +
      'without a version: MALIPO_DEPLOYMENT is not set here.',
    'Set MALIPO_DEPLOYMENT again (docs/upgrades.md).',
  );
}

function judge(view: DeploymentView): Diagnosis {
  const { currentBuildId: current, versions, unversionedPollers } = view;
  const { ramping: rampingNow } = view;
  if (current === undefined && unversionedPollers > 0)
    return attention(
      `No version of the workers is current: ${count(unversionedPollers, 'worker')} without a version ` +
        `${unversionedPollers === 1 ? 'gets' : 'get'} all tasks${rampingNow ? ` that do not go to ${rampingNow.buildId}` : ''}.`,
      'Run malipo deploy promote <build>, or remove MALIPO_DEPLOYMENT everywhere to use no versions.',
    );
  if (current === undefined)
    return fault(
      'No version of the workers is current: new workflows wait until one is.',
      'Run malipo deploy status, then malipo deploy promote <build>.',
    );
  const without = versions.filter((version) => hasWork(version) && !isManned(version));
  if (without.length > 0)
    return fault(
      without.map(withoutWorkersText).join(' '),
      'Start its workers again, or promote a version that has workers (malipo deploy status).',
    );
  const idle = versions.filter((version) => version.standing === 'inactive' && isManned(version));
  const sights = [
    ...idle.map(({ buildId }) => `Workers of ${buildId} run, but get no tasks until it is promoted.`),
    unversionedPollers > 0 &&
      `${count(unversionedPollers, 'worker without a version gets', 'workers without a version get')} no tasks: MALIPO_DEPLOYMENT is not set there.`,
  ].filter((sight) => sight !== false);
  const ramping = view.ramping
    ? `, with ${String(view.ramping.percent)} % going to ${view.ramping.buildId}`
    : '';
  const sentence = `Version ${current} of the workers is current${ramping}.`;
  return sights.length === 0 ? ok(sentence) : attention([sentence, ...sights].join(' '));
}

const hasWork = ({ percent, staying }: Version) => percent > 0 || staying > 0;

const isManned = ({ pollers }: Version) => pollers.workflows > 0 && pollers.activities > 0;

function withoutWorkersText({ buildId, standing, staying }: Version): string {
  if (standing === 'current' || standing === 'ramping')
    return `Version ${buildId} is ${standing}, but none of its workers runs: its workflows do not continue.`;
  return `No worker of version ${buildId} runs, so ${count(staying, 'open workflow')} cannot continue.`;
}

// The connections to the database and to Temporal: their encryption, and when a certificate expires.

/** Enough time to get a new certificate signed. MalipoCertificateExpiresSoon fires at the same time. */
const renewBeforeMs = 30 * 86_400_000;

export const lineCheckups: Checkup[] = [
  {
    name: 'database line',
    async examine({ db, config }) {
      const [[row]] = (await db.raw("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) as unknown as [
        [{ Value: string } | undefined],
      ];
      if (row?.Value) return ok(`The connection to the database is encrypted (${row.Value}).`);
      return unprotected(config, {
        what: 'The connection to the database',
        host: readDatabaseUrl(config.databaseUrl).host,
        see: 'ssl-ca',
      });
    },
  },
  {
    name: 'temporal line',
    examine({ config }) {
      if (config.temporalLine.tls) return Promise.resolve(ok('The connection to Temporal is encrypted.'));
      const host = config.temporalAddress.replace(/:\d+$/, '');
      return Promise.resolve(
        unprotected(config, { what: 'The connection to Temporal', host, see: 'TEMPORAL_TLS' }),
      );
    },
  },
  {
    name: 'certificates',
    examine: ({ config }) => Promise.resolve(examineCertificates(config, Date.now())),
  },
];

function unprotected(
  { environment }: Config,
  { what, host, see }: { what: string; host: string; see: string },
): Diagnosis {
  if (environment !== 'live') return ok('Not encrypted; a sandbox does not need it.');
  if (isThisMachine(host)) return ok(`${what} does not leave this machine.`);
  return attention(`${what} is not encrypted; see ${see} in docs/production.md.`);
}

const certificates: Record<CertificateName, string> = {
  database_client: 'our certificate for the database',
  database_authority: "the database's authority",
  temporal_client: 'our certificate for Temporal',
  temporal_authority: "Temporal's authority",
};

/** Checks the expiry of our certificates, and of the authorities that we trust. */
function examineCertificates(config: Config, nowMs: number): Diagnosis {
  const held = certificatesOf(config).map(({ name, expiresAtMs }) => ({
    name: certificates[name],
    leftMs: expiresAtMs - nowMs,
  }));
  const ended = held.filter(({ leftMs }) => leftMs <= 0);
  if (ended.length > 0) return fault(`Expired: ${ended.map(({ name }) => name).join(', ')}.`);
  const ending = held.filter(({ leftMs }) => leftMs < renewBeforeMs);
  if (ending.length > 0) {
    const which = ending.map(({ name, leftMs }) => `${name} (in ${ageText(leftMs)})`).join(', ');
    return attention(
      `Expires soon: ${which}. Processes read new files without a restart; see docs/connections.md.`,
    );
  }
  return ok(
    held.length === 0
      ? 'No certificate comes from a file.'
      : 'Every certificate is valid for at least 30 days.',
  );
}
