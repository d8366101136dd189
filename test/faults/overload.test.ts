/** More callers at once than the API has places for. */
import { simulatorControl } from '../rails/simulator-control';
import { push } from '../rails/stk/payment-story';
import { paymentIdOf } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';

describe('more payments at once than there are places', () => {
  const places = 4;
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20, env: { MALIPO_ACCEPTANCES_MAX: String(places) } });
    merchant = await stack.createMerchant();
  });
  afterAll(() => stack.stop());

  it('are sent away with 503 and Retry-After, and what is accepted ends well', async () => {
    const provider = simulatorControl(stack.simulatorUrl, 'stk');
    await provider.next({ call: 'initiate', behave: 'delay', ms: 2_000, times: places });
    const answers = await Promise.all(Array.from({ length: 3 * places }, () => push(stack, merchant)));

    const accepted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(accepted).toHaveLength(places);
    for (const { status, headers, body } of refused) {
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'SERVICE_BUSY' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await everythingEndsWell(stack, { merchants: [merchant], accepted: accepted.map(paymentIdOf) });
    expect(await stack.db('payments')).toHaveLength(places);

    const next = await push(stack, merchant);
    expect(next.status).toBe(200);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: [paymentIdOf(next)] });
  });
});
