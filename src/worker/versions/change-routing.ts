/** Which version gets what. Each change is made on what was seen before: where another came first, nothing is changed. */
import type { DeploymentView, Place } from './server-view';

export type Change = { by: string } &
  /** Undefined: workers without a version do all. */
  (
    | { current: string | undefined }
    /** At 0 percent nothing ramps any more. */
    | { ramping: string; percent: number }
  );

/** @throws an error of gRPC, code 9, where the routing is not what was seen, or somebody else's to change. */
export async function changeRouting(
  { client, namespace, deployment }: Place,
  { conflictToken }: Pick<DeploymentView, 'conflictToken'>,
  change: Change,
): Promise<void> {
  const on = { namespace, deploymentName: deployment.name, conflictToken, identity: `malipo: ${change.by}` };
  if ('current' in change) {
    await client.workflowService.setWorkerDeploymentCurrentVersion({ ...on, buildId: change.current ?? '' });
    return;
  }
  const { ramping, percent: percentage } = change;
  await client.workflowService.setWorkerDeploymentRampingVersion({
    ...on,
    buildId: percentage === 0 ? '' : ramping,
    percentage,
  });
}
