/** Who says which version of the workers gets what, and what is looked at just before. */
import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { makeFirstCurrent } from '../../../src/worker/versions/first-version';
import {
  viewDeployment,
  type DeploymentView,
  type DeploymentAddress,
} from '../../../src/worker/versions/server-view';
import { startPoller, type Polling } from '../../support/pollers';
import { testTemporalAddress } from '../../support/temporal';
import { silentLog } from '../../support/silent-log';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

const timeoutMs = 120_000;

let cli: TestCli;
let connection: Connection;
let place: DeploymentAddress;
const asking: Polling[] = [];
beforeAll(async () => {
  cli = await createTestCli();
  connection = await Connection.connect({ address: testTemporalAddress() });
  const id = randomBytes(4).toString('hex');
  place = {
    client: new Client({ connection }),
    namespace: 'default',
    taskQueue: `deploy-${id}`,
    deployment: { name: `d-${id}`, buildId: undefined },
  };
  cli.session = { client: place.client, versions: place };
  for (const buildId of ['one', 'two'])
    asking.push(
      await startPoller(place.client, place.taskQueue, { deployment: place.deployment.name, buildId }),
    );
});
afterAll(async () => {
  for (const one of asking) await one.stop();
  await connection.close();
  await cli.drop();
});

async function seen(): Promise<DeploymentView> {
  const view = await viewDeployment(place);
  if (!view) throw new Error('no worker was ever seen');
  return view;
}

async function lastChangedBy(): Promise<unknown> {
  const { workerDeploymentInfo } = await place.client.workflowService.describeWorkerDeployment({
    namespace: place.namespace,
    deploymentName: place.deployment.name,
  });
  return workerDeploymentInfo?.lastModifierIdentity;
}

const other = (build: string | undefined) => (build === 'one' ? 'two' : 'one');

it('of two builds that are the first at once, one is current, and the other leaves it so', async () => {
  const logLines: string[] = [];
  const note = (message: string) => void logLines.push(message);
  const { client, namespace, taskQueue } = place;
  const both = ['one', 'two'].map((buildId) =>
    makeFirstCurrent(
      { client, namespace, taskQueue, deployment: { name: place.deployment.name, buildId } },
      { ...silentLog, info: note, warn: note },
    ),
  );
  await waitFor(async () => logLines.length > 1, { what: 'the word of both', timeoutMs });
  await Promise.all(both.map((one) => one.stop()));
  expect(logLines.sort()).toEqual([
    'another version of the workers is current',
    'this is the first version of the workers, and current',
  ]);
  expect(['one', 'two']).toContain((await seen()).currentBuildId);
  expect(await lastChangedBy()).toBe('malipo: its first worker');
});

it('changes nothing for a version whose workers went while it was replayed', async () => {
  const { currentBuildId: before } = await seen();
  const next = other(before);
  const { workflowService } = place.client;
  let checks = 0;
  // Those of workflows and of activities are asked for at each look.
  const describeTaskQueue = async (request: Parameters<typeof workflowService.describeTaskQueue>[0]) => {
    checks += 1;
    const isSecond = checks > 2;
    const described = await workflowService.describeTaskQueue(request);
    if (isSecond) described.pollers = described.pollers.filter(({ identity }) => identity !== next);
    return described;
  };
  const client = {
    workflow: place.client.workflow,
    workflowService: {
      describeTaskQueue,
      describeWorkerDeployment: workflowService.describeWorkerDeployment.bind(workflowService),
    },
  } as unknown as Client;
  cli.session = { client, versions: { ...place, client } };
  for (const command of [
    ['promote', next],
    ['ramp', next, '5'],
  ]) {
    checks = 0;
    expect(await cli.run('deploy', ...command, '--replayed-elsewhere')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`No worker of version ${next} runs`) as unknown,
    });
    expect(checks).toBe(4);
  }
  cli.session = { client: place.client, versions: place };
  expect(await seen()).toMatchObject({ currentBuildId: before, ramping: undefined });
});

it('is an operator, where there is one, and Temporal and the audit log know who', async () => {
  const { currentBuildId: before } = await seen();
  const next = other(before);
  const { token } = await cli.json('operator', 'create', 'amina');
  const promote = (...more: string[]) =>
    cli.run('deploy', 'promote', next, '--replayed-elsewhere', '--json', ...more);
  expect(await promote()).toMatchObject({ code: 1, err: expect.stringContaining('--as') as unknown });
  expect((await seen()).currentBuildId).toBe(before);

  cli.env = { MALIPO_OPERATOR_TOKEN: String(token) };
  expect(await promote('--as', 'amina')).toMatchObject({ code: 0, json: { current: next, before } });
  expect(await lastChangedBy()).toBe('malipo: amina');
  const lines = await cli.db('audit_log').orderBy('seq', 'desc').limit(2);
  expect(lines).toMatchObject([
    { acted_by: 'amina', action: 'deploy.promote.done', subject_id: next },
    { acted_by: 'amina', action: 'deploy.promote', subject_id: next },
  ]);
});
