/** `npm run bench -- --flood`: the whole product under a flood of unauthenticated calls. */
import { step } from '../../sandbox/services/progress';
import { inDeployment } from '../ours/deployment';
import { floodReportOf, type FloodReport } from './report';
import { measureFlood } from './flood';

export async function runFlood(seconds: number, folder: string): Promise<FloodReport> {
  const figures = await inDeployment(folder, ({ stack, merchant }) => {
    const target = { apiUrl: stack.apiUrl, merchantId: stack.merchant.merchant_id, pids: stack.pids };
    return measureFlood(merchant.payBy('stk_push'), target, seconds, step);
  });
  return floodReportOf(figures);
}
