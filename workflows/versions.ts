import { workflowInfo } from '@temporalio/workflow';
import type { WorkflowDefinitionOptions } from '@temporalio/common';

/**
 * What becomes of a workflow that is under way when another version of the workers is promoted. `moves`: its next task is
 * done by that version, which has to tell the same story (`malipo deploy promote` replays it first), and the workers of
 * before may end. `stays`: it is ended by workers of the version that began it, which have to run until then.
 */
export type OnPromotion = 'moves' | 'stays';

/**
 * Every type of workflow, by the name under which it is started. One that is begun anew, or goes on in a new run, is of
 * the current version in any case.
 *
 * Payments move: most are over in a minute, but any of them may be watched for days, and the API of today asks them for
 * what it knows. Were they to stay, each version would have to be kept running beside all later ones for as long as the
 * slowest of its payments takes, and what is mended would not be mended for them.
 */
export const versions: Readonly<Record<string, { onPromotion: OnPromotion; because: string }>> = {
  stkPush: moves('watched for 72 hours after a prompt that nobody answered'),
  xbPush: moves('asked about for 72 hours while its provider does not say how it went'),
  momoDeposit: moves('asked about for 72 hours while its provider does not say how it went'),
  momoPayout: moves('queued for as long as the network is down, and its merchant may cancel it meanwhile'),
  momoRefund: moves('queued for as long as the network is down'),
  hostedOrder: moves('open for a day, watched for 72 hours'),
  walletOrder: moves('open for six hours, and followed for eleven days where its capture is looked into'),
  walletPayout: moves('unclaimed for 30 days'),
  walletRefund: moves('followed for 30 days'),
  voucher: moves('out until somebody redeems it, or until its last day'),
  prune: moves('one step, which any version repeats'),
  verify: moves('one step, which any version repeats'),
  floatCheck: moves('one step, which any version repeats'),
  exchangeRates: moves('one step, which any version repeats'),
  // Its two steps hand each other what was read of a file, and one version does both. The server ends it within a day
  // (src/worker/schedules.ts), so that one whose workers are gone does not hold up the nights that follow.
  reconciliation: {
    onPromotion: 'stays',
    because:
      'over in minutes, asked for nothing meanwhile, and both halves of a night are done by the same code',
  },
};

function moves(because: string): { onPromotion: OnPromotion; because: string } {
  return { onPromotion: 'moves', because };
}

/**
 * Only what stays says so, and only where workers have versions: the server refuses it of one that has none. All else is
 * what a worker's default says.
 */
export function versioningOf(): WorkflowDefinitionOptions {
  const { workflowType, currentDeploymentVersion: version } = workflowInfo();
  const isVersioned = version !== undefined && version.deploymentName !== '';
  const stays = versions[workflowType]?.onPromotion === 'stays';
  return isVersioned && stays ? { versioningBehavior: 'PINNED' } : {};
}
