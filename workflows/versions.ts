import { workflowInfo } from '@temporalio/workflow';
import type { WorkflowDefinitionOptions } from '@temporalio/common';

/**
 * What happens to a running workflow when another worker version is promoted. `moves`: that version runs its next
 * task and must make the same commands (`malipo deploy promote` replays the history first), and the old workers may
 * stop. `stays`: workers of the version that started it finish it, and must run until then.
 */
export type OnPromotion = 'moves' | 'stays';

/**
 * Every workflow type, by the name under which it is started. A restarted workflow, and a new run, always use the
 * current version.
 * Payments move: most end within a minute, but any of them may be checked for days, and the API of today sends them
 * its own updates. If they stayed, each version would have to run beside all later ones until its slowest payment
 * ended, and those payments would miss every fix.
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
  // Its two steps pass each other the data of a file, and one version must run both. The server ends it within a day
  // (src/worker/schedules.ts), so that one without workers does not block the following nights.
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
 * Set only where a workflow stays, and only where workers have versions: the server refuses it from a worker without
 * one. Every other workflow uses the worker's default.
 */
export function versioningOf(): WorkflowDefinitionOptions {
  const { workflowType, currentDeploymentVersion: version } = workflowInfo();
  const isVersioned = version !== undefined && version.deploymentName !== '';
  const stays = versions[workflowType]?.onPromotion === 'stays';
  return isVersioned && stays ? { versioningBehavior: 'PINNED' } : {};
}
