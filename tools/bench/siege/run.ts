/** `npm run bench -- --siege`: the product from nothing, with strangers at its gate. */
import { step } from '../../sandbox/services/progress';
import { inHouse } from '../ours/house';
import { siegeReportOf, type SiegeReport } from './report';
import { measureSiege } from './siege';

export async function runSiege(seconds: number, folder: string): Promise<SiegeReport> {
  const figures = await inHouse(folder, ({ stack, merchant }) => {
    const target = { apiUrl: stack.apiUrl, merchantId: stack.merchant.merchant_id, pids: stack.pids };
    return measureSiege(merchant.payBy('stk_push'), target, seconds, step);
  });
  return siegeReportOf(figures);
}
