import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { count } from '../cli/table';
import { viewDeployment, type DeploymentView, type Version } from '../versions/server-view';
import type { Checkup } from './checkup';

/** Whether each workflow has a worker of the version that is to go on with it. */
export const versionCheckups: Checkup[] = [
  {
    name: 'worker versions',
    async examine({ versions: place }) {
      if (!place)
        return ok('Workers have no versions: each of them takes any work (MALIPO_DEPLOYMENT is not set).');
      const view = await viewDeployment(place);
      return view
        ? judge(view)
        : fault(`No worker of the deployment ${place.deployment.name} was ever seen.`);
    },
  },
];

function judge(view: DeploymentView): Diagnosis {
  const { currentBuildId: current, versions, unversionedPollers } = view;
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
