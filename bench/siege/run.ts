/** `npm run bench -- --siege`: the product from nothing, with strangers at its gate. */
import { step } from '../../src/ops/services/progress';
import { merchantClient } from '../ours/merchant';
import { startReceiver } from '../ours/receiver';
import { untilQuiet } from '../ours/side';
import { startStack } from '../ours/stack';
import { siegeReportOf, type SiegeReport } from './report';
import { measureSiege } from './siege';

export async function runSiege(seconds: number, folder: string): Promise<SiegeReport> {
  const receiver = await startReceiver();
  const stack = await startStack(folder, receiver.url);
  const merchant = merchantClient(stack.apiUrl, stack.merchant, receiver);
  try {
    const target = { apiUrl: stack.apiUrl, merchantId: stack.merchant.merchant_id, pids: stack.pids };
    const figures = await measureSiege(merchant.payBy('stk_push'), target, seconds, step);
    await untilQuiet(stack.db);
    await step('verifying the books', () => stack.verify());
    return siegeReportOf(figures);
  } finally {
    await merchant.close();
    receiver.close();
    await stack.stop();
  }
}
