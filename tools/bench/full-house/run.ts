/** `npm run bench -- --full-house`: does an acceptance notice a million payments that were, and a hundred thousand that wait? */
import { step } from '../../sandbox/services/progress';
import { rounded } from '../measures/statistics';
import { databaseBytes } from '../ours/disk';
import { inHouse } from '../ours/house';
import { watchedParts } from '../recovery/parts';
import type { Plan } from './copies';
import { fill } from './fill';
import { measureHouse, type MeasurePlan } from './measure';
import { fullHouseReportOf, type FullHouseReport } from './report';
import { addNews, newsPlan } from './news';
import { measurePortal } from './portal';
import { everyKind, makeTemplates } from './templates';

const merchants = 4;

export interface FullHousePlan extends Plan {
  measure: MeasurePlan;
  /** How many payments a day brings. */
  news: number;
}

export async function runFullHouse(
  { measure, news, ...plan }: FullHousePlan,
  folder: string,
): Promise<FullHouseReport> {
  const keeper = watchedParts();
  const figures = await inHouse(
    folder,
    async (house) => {
      const { stack } = house;
      const empty = await measureHouse(house, keeper, measure, step);
      const templates = await step('a few payments of each kind', () =>
        everyKind(stack, merchants).then((orders) => makeTemplates(stack, orders)),
      );
      const beganAt = performance.now();
      await fill(stack.admin, templates, plan);
      const fillSeconds = rounded((performance.now() - beganAt) / 1_000);
      const bytes = await step('what it takes on disk', () => databaseBytes(stack.admin));
      const full = await measureHouse(house, keeper, measure, step, () =>
        addNews(stack.admin, templates, newsPlan(plan, news)),
      );
      const portal = await step('every page of the portal', () => measurePortal(stack, measure.pageRounds));
      const bytesPerPayment = Math.round(bytes / plan.payments);
      return { plan, empty, full, portal, bytesPerPayment, fillSeconds };
    },
    { keeper },
  );
  return fullHouseReportOf(figures);
}
