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
  stkPush: autoUpgrades('watched for 72 hours after a prompt without an answer'),
  xbPush: autoUpgrades('polled for 72 hours while its provider does not report the result'),
  momoDeposit: autoUpgrades('polled for 72 hours while its provider does not report the result'),
  momoPayout: autoUpgrades('queued while the network is down, and its merchant may cancel it meanwhile'),
  momoRefund: autoUpgrades('queued while the network is down'),
  hostedOrder: autoUpgrades('open for a day, watched for 72 hours'),
  walletOrder: autoUpgrades(
    'open for six hours, and followed for eleven days if its capture is under review',
  ),
  walletPayout: autoUpgrades('unclaimed for 30 days'),
  walletRefund: autoUpgrades('followed for 30 days'),
  voucher: autoUpgrades('active until it is redeemed, or until its last day'),
  prune: autoUpgrades('one step, which any version can repeat'),
  verify: autoUpgrades('one step, which any version can repeat'),
  floatCheck: autoUpgrades('one step, which any version can repeat'),
  exchangeRates: autoUpgrades('one step, which any version can repeat'),
  providerQuestion: autoUpgrades('one step, which any version can repeat'),
  // Its two steps pass each other the data of a file, and one version must run both. The server ends it within a day
  // (src/worker/schedules.ts), so that one without workers does not block the following nights.
  reconciliation: {
    onPromotion: 'stays',
    because: 'over in minutes and without updates, and the same code must do both halves of a night',
  },
};

function autoUpgrades(because: string): { onPromotion: OnPromotion; because: string } {
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
