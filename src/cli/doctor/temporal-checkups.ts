import { X509Certificate } from 'node:crypto';
import type { Config } from '../../config';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { isThisMachine } from '../../domain/ip-address';
import { searchAttributeNames } from '../../domain/search-attributes';
import { rateSource } from '../../fx/source';
import { readTaskQueue, unversioned, type TaskQueueState } from '../../process/task-queue';
import { temporalOptionsOf } from '../../process/temporal-connection';
import { readDatabaseUrl } from '../../store/database-address';
import { jobsOf } from '../../worker/schedules';
import { viewDeployment, type DeploymentView, type Version } from '../../worker/versions/server-view';
import { count, ageText } from '../table';
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
      const workflows = await readTaskQueue(client, config, 'workflow');
      const activities = await readTaskQueue(client, config, 'activity');
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
    async examine({ client, config: { schedulesJobs, taskQueue, timezone, environment, fxSource } }) {
      if (!schedulesJobs) {
        const sentence = 'MALIPO_SCHEDULES is off: no worker schedules the recurring jobs.';
        return environment === 'live' ? attention(sentence) : ok(sentence);
      }
      const paused: string[] = [];
      // Whether statements come is a checkup of its own.
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
          `Not scheduled in Temporal: ${[...missing].join(', ')}; a worker that starts schedules them.`,
        paused.length > 0 && `Paused in Temporal: ${paused.join(', ')}.`,
      ].filter((complaint) => complaint !== false);
      if (complaints.length > 0) return attention(complaints.join(' '));
      return ok('Temporal runs the recurring jobs by their schedules.');
    },
  },
];

/** Whether each workflow has a worker of the version that is to go on with it. */
export const versionCheckups: Checkup[] = [
  {
    name: 'worker versions',
    async examine({ versions: place, client, config }) {
      if (!place) return judgeWithout(await readTaskQueue(client, config, 'workflow'));
      const view = await viewDeployment(place);
      return view
        ? judge(view)
        : fault(`No worker of the deployment ${place.deployment.name} was ever seen.`);
    },
  },
];

/** A version that was made current once stays so, whatever the settings of those that come later. */
function judgeWithout({ receivers, seen }: TaskQueueState): Diagnosis {
  const named = receivers.flatMap((one) => (one === unversioned ? [] : [one]));
  if (named.length === 0)
    return ok('Workers have no versions: each of them takes any work (MALIPO_DEPLOYMENT is not set).');
  const names = named.map(({ deployment, buildId }) => `${buildId} of ${deployment}`).join(' and ');
  const without = seen.filter((one) => one === unversioned).length;
  return fault(
    `Temporal gives work to version ${names}, and none to ${without === 0 ? 'workers' : count(without, 'worker')} ` +
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
        `${unversionedPollers === 1 ? 'does' : 'do'} the work${rampingNow ? ` that does not go to ${rampingNow.buildId}` : ''}.`,
      'malipo deploy promote <build> makes one current; without versions, MALIPO_DEPLOYMENT is not set anywhere.',
    );
  if (current === undefined)
    return fault(
      'No version of the workers is current: what begins waits until one is.',
      'malipo deploy status shows them, malipo deploy promote <build> makes one current.',
    );
  const without = versions.filter((version) => hasWork(version) && !isManned(version));
  if (without.length > 0)
    return fault(
      without.map(toldWithoutWorkers).join(' '),
      'Start its workers again, or promote a version that has some (malipo deploy status).',
    );
  const idle = versions.filter((version) => version.standing === 'inactive' && isManned(version));
  const sights = [
    ...idle.map(({ buildId }) => `Workers of ${buildId} run and get nothing until it is promoted.`),
    unversionedPollers > 0 &&
      `${count(unversionedPollers, 'worker')} without a version gets nothing: MALIPO_DEPLOYMENT is not set there.`,
  ].filter((sight) => sight !== false);
  const ramping = view.ramping
    ? `, with ${String(view.ramping.percent)} % going to ${view.ramping.buildId}`
    : '';
  const sentence = `Version ${current} of the workers is current${ramping}.`;
  return sights.length === 0 ? ok(sentence) : attention([sentence, ...sights].join(' '));
}

const hasWork = ({ percent, staying }: Version) => percent > 0 || staying > 0;

const isManned = ({ pollers }: Version) => pollers.workflows > 0 && pollers.activities > 0;

function toldWithoutWorkers({ buildId, standing, staying }: Version): string {
  if (standing === 'current' || standing === 'ramping')
    return `Version ${buildId} is ${standing}, and no worker of it runs: what it is to do stands still.`;
  return `No worker of version ${buildId} runs, and ${count(staying, 'open workflow')} cannot go on without.`;
}

// The lines to the database and to Temporal: whether others could listen, and when a certificate ends.

/** Enough for whoever has to sign a new one. */
const renewBeforeMs = 14 * 86_400_000;

export const lineCheckups: Checkup[] = [
  {
    name: 'database line',
    async examine({ db, config }) {
      const [[row]] = (await db.raw("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) as unknown as [
        [{ Value: string } | undefined],
      ];
      if (row?.Value) return ok(`The line to the database is encrypted (${row.Value}).`);
      return unprotected(config, {
        what: 'The line to the database',
        host: readDatabaseUrl(config.databaseUrl).host,
        see: 'ssl-ca',
      });
    },
  },
  {
    name: 'temporal line',
    examine({ config }) {
      if (config.temporalLine.tls) return Promise.resolve(ok('The line to Temporal is encrypted.'));
      const host = config.temporalAddress.replace(/:\d+$/, '');
      return Promise.resolve(
        unprotected(config, { what: 'The line to Temporal', host, see: 'TEMPORAL_TLS' }),
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

/** Of the certificates that we show, and of the authorities that we trust. */
function examineCertificates(config: Config, nowMs: number): Diagnosis {
  const { ssl } = readDatabaseUrl(config.databaseUrl);
  const { tls } = temporalOptionsOf(config);
  const held = [
    { name: 'our certificate for the database', pem: ssl?.cert },
    { name: "the database's authority", pem: ssl?.ca },
    { name: 'our certificate for Temporal', pem: tls?.clientCertPair?.crt.toString() },
    { name: "Temporal's authority", pem: tls?.serverRootCACertificate?.toString() },
  ].flatMap(({ name, pem }) => (pem === undefined ? [] : [{ name, leftMs: endOf(name, pem) - nowMs }]));
  const ended = held.filter(({ leftMs }) => leftMs <= 0);
  if (ended.length > 0) return fault(`Ended: ${ended.map(({ name }) => name).join(', ')}.`);
  const ending = held.filter(({ leftMs }) => leftMs < renewBeforeMs);
  if (ending.length > 0) {
    const which = ending.map(({ name, leftMs }) => `${name} (in ${ageText(leftMs)})`).join(', ');
    return attention(
      `Ends soon: ${which}. New files are taken up without a restart; see docs/connections.md.`,
    );
  }
  return ok(
    held.length === 0 ? 'No certificate comes from a file.' : 'Every certificate is good for two weeks.',
  );
}

/** A chain ends with its first certificate; of a bundle of authorities one that is good is enough. */
function endOf(name: string, pem: string): number {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const ends = blocks.map((block) => Date.parse(new X509Certificate(block).validTo));
  return name.endsWith('authority') ? Math.max(...ends) : (ends[0] ?? 0);
}
