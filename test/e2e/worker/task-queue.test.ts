/** Running workers that get no tasks count as none, in every check of whether payments progress. */
import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { Registry } from 'prom-client';
import { versionCheckups } from '../../../src/cli/doctor/temporal-checkups';
import type { Patient } from '../../../src/cli/doctor/checkup';
import { taskQueueFigures } from '../../../src/telemetry/figures/api-figures';
import { readinessChecks } from '../../../src/telemetry/readiness';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { isSame, readTaskQueue, taskQueueKinds, unversioned } from '../../../src/process/task-queue';
import { changeRouting, makeFirstCurrent } from '../../../src/worker/versions/first-version';
import { getsTasks } from '../../../src/worker/versions/when-current';
import { viewDeployment, type DeploymentAddress } from '../../../src/worker/versions/server-view';
import { createTestCli } from '../../support/cli/cli-support';
import { startPoller, type Polling } from '../../support/pollers';
import { silentLog } from '../../support/silent-log';
import { testTemporalAddress } from '../../support/temporal';

const timeoutMs = 120_000;

let connection: Connection;
let place: DeploymentAddress;
const asking: Polling[] = [];
beforeAll(async () => {
  connection = await Connection.connect({ address: testTemporalAddress() });
  const id = randomBytes(4).toString('hex');
  place = {
    client: new Client({ connection }),
    namespace: 'default',
    taskQueue: `versions-${id}`,
    deployment: { name: `d-${id}`, buildId: undefined },
  };
});
afterEach(async () => {
  for (const one of asking.splice(0)) await one.stop();
});
afterAll(() => connection.close());

const queue = () => ({ temporalNamespace: place.namespace, taskQueue: place.taskQueue });
const versionOf = (buildId: string) => ({ deployment: place.deployment.name, buildId });

async function poll(buildId?: string): Promise<void> {
  asking.push(
    await startPoller(place.client, place.taskQueue, buildId === undefined ? undefined : versionOf(buildId)),
  );
}

async function promote(buildId: string): Promise<void> {
  await waitFor(
    async () => {
      const view = await viewDeployment(place);
      if (!view) return undefined;
      await changeRouting(place, view, { current: buildId, by: 'a test' });
      return true;
    },
    { what: 'the version to be known', timeoutMs },
  );
  for (const kind of taskQueueKinds) {
    await waitFor(
      async () => {
        const { receivers } = await readTaskQueue(place.client, queue(), kind);
        return receivers.some((one) => isSame(one, versionOf(buildId)));
      },
      { what: 'the task queue to know it', timeoutMs },
    );
  }
}

async function shown(client = place.client): Promise<string[]> {
  const registry = new Registry();
  await taskQueueFigures([registry], client, queue()).show();
  return (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('malipo_task_queue_pollers{'));
}
const pollers = (workflow: number, activity: number) => [
  `malipo_task_queue_pollers{kind="workflow"} ${String(workflow)}`,
  `malipo_task_queue_pollers{kind="activity"} ${String(activity)}`,
];

async function ready(client = place.client): Promise<string> {
  const checks = readinessChecks({
    db: undefined as never,
    client,
    temporalNamespace: place.namespace,
    versions: { ...place, client },
    ending: new AbortController().signal,
  });
  const check = checks.find(({ name }) => name === 'worker version');
  return (check?.check() ?? Promise.reject(new Error('no check'))).then(
    () => 'ready',
    (error: unknown) => String(error),
  );
}

/** As Temporal answers a minute after the last poll. */
function withoutPollersOf(identity: string, ramping?: string): Client {
  const { workflowService } = place.client;
  const describeTaskQueue = async (request: Parameters<typeof workflowService.describeTaskQueue>[0]) => {
    const described = await workflowService.describeTaskQueue(request);
    described.pollers = described.pollers.filter((poller) => poller.identity !== identity);
    if (ramping !== undefined && described.versioningInfo) {
      const rampingDeploymentVersion = { deploymentName: place.deployment.name, buildId: ramping };
      Object.assign(described.versioningInfo, { rampingDeploymentVersion, rampingVersionPercentage: 5 });
    }
    return described;
  };
  return {
    workflow: place.client.workflow,
    workflowService: {
      describeTaskQueue,
      describeWorkerDeployment: workflowService.describeWorkerDeployment.bind(workflowService),
    },
  } as unknown as Client;
}

/** The doctor's sentence about versions, in a process with the deployment's settings, and in one without. */
async function reported(versions: DeploymentAddress | undefined) {
  const config = queue() as Patient['config'];
  return versionCheckups[0]?.examine({ client: place.client, config, versions } as Patient);
}

it('while no version is current, workers without one get all tasks', async () => {
  await poll('one');
  expect(await shown()).toEqual(pollers(0, 0));
  expect(await ready()).toMatch(/no version of the workers of .* is current/);
  expect(await reported(place)).toMatchObject({ level: 'fault' });
  await poll();
  expect(await shown()).toEqual(pollers(1, 1));
  expect(await ready()).toBe('ready');
  expect(await reported(undefined)).toMatchObject({ level: 'ok' });
  // The server has a version's poller before it reports the version.
  const sentence = 'No version of the workers is current: 1 worker without a version gets all tasks.';
  const isReported = async () => (await reported(place))?.sentence === sentence;
  await waitFor(isReported, { what: 'the version to be reported', timeoutMs });
  expect(await reported(place)).toMatchObject({ level: 'attention', sentence });
});

it('once one is current, workers without a version and of others do not count', async () => {
  await poll('one');
  await promote('one');
  expect(await shown()).toEqual(pollers(1, 1));
  expect(await ready()).toBe('ready');

  await poll('two');
  await promote('two');
  await poll();
  expect((await reported(place))?.sentence).toContain('Version two of the workers is current.');
  expect(await shown()).toEqual(pollers(1, 1));
  const lostRamp = withoutPollersOf('one', 'one');
  expect(await shown(lostRamp)).toEqual(pollers(0, 0));
  expect(await ready(lostRamp)).toBe('ready');
  const gone = withoutPollersOf('two');
  expect(await shown(gone)).toEqual(pollers(0, 0));
  expect(await ready(gone)).toMatch(/no worker runs of the version that receives workflow tasks: two/);
});

it('says so in a process without the deployment’s settings', async () => {
  await poll();
  expect(await reported(undefined)).toMatchObject({
    level: 'fault',
    sentence: expect.stringMatching(
      /gives tasks to version two of \S+, and none to 1 worker without a version/,
    ) as unknown,
  });
  const { receivers, seen } = await readTaskQueue(place.client, queue(), 'workflow');
  expect(receivers).toEqual([versionOf('two')]);
  expect(seen).toContain(unversioned);
});

it('reports to each version whether it receives tasks', async () => {
  const given = (buildId: string) =>
    getsTasks({ ...place, deployment: { ...versionOf(buildId), name: place.deployment.name } });
  expect([await given('one'), await given('two')]).toEqual([false, true]);
});

it('leaves it to an operator if another deployment serves the task queue', async () => {
  const deployment = { name: `${place.deployment.name}-renamed`, buildId: 'three' };
  asking.push(
    await startPoller(place.client, place.taskQueue, {
      deployment: deployment.name,
      buildId: deployment.buildId,
    }),
  );
  const lines: string[] = [];
  const note = (message: string) => void lines.push(message);
  const first = makeFirstCurrent({ ...place, deployment }, { ...silentLog, info: note, warn: note });
  await waitFor(() => Promise.resolve(lines.length > 0), { what: 'its word', timeoutMs });
  await first.stop();
  expect(lines).toEqual([expect.stringContaining('another deployment serves this task queue')]);
  expect((await viewDeployment({ ...place, deployment }))?.currentBuildId).toBeUndefined();
  expect((await readTaskQueue(place.client, queue(), 'workflow')).receivers).toEqual([versionOf('two')]);
});

it('goes back to workers without a version, if some run', async () => {
  const cli = await createTestCli();
  try {
    cli.session = { client: place.client, versions: place };
    const off = () => cli.run('deploy', 'unset', '--replayed-elsewhere', '--json');
    cli.session = { client: place.client, versions: { ...place, client: withoutPollersOf(unversioned) } };
    expect(await off()).toMatchObject({
      code: 1,
      err: expect.stringContaining('No worker without') as unknown,
    });
    await poll();
    cli.session = { client: place.client, versions: place };
    expect(await off()).toMatchObject({ code: 0, json: { current: null, before: 'two' } });
    for (const kind of taskQueueKinds)
      await waitFor(
        async () => (await readTaskQueue(place.client, queue(), kind)).receivers.includes(unversioned),
        { what: 'the task queue to know it', timeoutMs },
      );
    expect(await shown()).toEqual(pollers(1, 1));
    expect(await off()).toMatchObject({
      code: 1,
      err: expect.stringContaining('No version is current') as unknown,
    });
  } finally {
    await cli.drop();
  }
});
