import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { count } from '../table';
import { lookAtTaskQueue, unversioned, type TaskQueueStanding } from '../../process/task-queue';
import { viewDeployment, type DeploymentView, type Version } from '../../worker/versions/server-view';
import type { Checkup } from './checkup';

/** Whether each workflow has a worker of the version that is to go on with it. */
export const versionCheckups: Checkup[] = [
  {
    name: 'worker versions',
    async examine({ versions: place, client, config }) {
      if (!place) return judgeWithout(await lookAtTaskQueue(client, config, 'workflow'));
      const view = await viewDeployment(place);
      return view
        ? judge(view)
        : fault(`No worker of the deployment ${place.deployment.name} was ever seen.`);
    },
  },
];

/** A version that was made current once stays so, whatever the settings of those that come later. */
function judgeWithout({ receivers, seen }: TaskQueueStanding): Diagnosis {
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
