/**
 * `npm run bench -- --volume`: whether creating a payment is slower with a million final payments and a hundred
 * thousand open ones.
 */
import { step } from '../../sandbox/services/progress';
import { rounded } from '../measures/statistics';
import { databaseBytes } from '../ours/disk';
import { inDeployment } from '../ours/deployment';
import { watchedParts } from '../recovery/parts';
import type { Plan } from './copies';
import { fill } from './fill';
import { measureVolume, type MeasurePlan } from './measure';
import { volumeReportOf, type VolumeReport } from './report';
import { addChanges, changesPlan } from './changes';
import { measurePortal } from './portal';
import { everyKind, makeTemplates } from './templates';

const merchants = 4;

export interface VolumePlan extends Plan {
  measure: MeasurePlan;
  /** The number of payments per day. */
  changes: number;
}

export async function runVolumeTest(
  { measure, changes, ...plan }: VolumePlan,
  folder: string,
): Promise<VolumeReport> {
  const keeper = watchedParts();
  const figures = await inDeployment(
    folder,
    async (deployment) => {
      const { stack } = deployment;
      const empty = await measureVolume(deployment, keeper, measure, step);
      const templates = await step('a few payments of each kind', () =>
        everyKind(stack, merchants).then((orders) => makeTemplates(stack, orders)),
      );
      const beganAt = performance.now();
      await fill(stack.admin, templates, plan);
      const fillSeconds = rounded((performance.now() - beganAt) / 1_000);
      const bytes = await step('what it takes on disk', () => databaseBytes(stack.admin));
      const full = await measureVolume(deployment, keeper, measure, step, () =>
        addChanges(stack.admin, templates, changesPlan(plan, changes)),
      );
      const portal = await step('every page of the portal', () => measurePortal(stack, measure.pageRounds));
      const bytesPerPayment = Math.round(bytes / plan.payments);
      return { plan, empty, full, portal, bytesPerPayment, fillSeconds };
    },
    { keeper },
  );
  return volumeReportOf(figures);
}
