import { ConfigError } from '../../../../src/config';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { testConfig } from '../../../support/cli/cli-support';
import { push } from '../../../support/rails/stk/payments';
import { paymentIdOf } from '../../../support/merchant-client';
import { startStack } from '../../../support/stack';

const settingOf = (text?: string) =>
  testConfig('mysql://127.0.0.1/none', text === undefined ? {} : { MALIPO_ACCEPTANCE_TIMEOUT_MS: text })
    .creationTimeoutMs;

describe('the time that a merchant waits for an answer', () => {
  it('is 20 s by default', () => {
    expect([settingOf(), settingOf('2000'), settingOf('30000')]).toEqual([20_000, 2_000, 30_000]);
  });

  it.each(['1999', '30001', '0', '-1', '2500.5', 'soon'])('cannot be %s ms', (text) => {
    expect(() => settingOf(text)).toThrow(ConfigError);
  });

  it('ends as configured: the payment is pending, and may still be accepted', async () => {
    const stack = await startStack({
      without: ['worker', 'simulator'],
      env: { MALIPO_ACCEPTANCE_TIMEOUT_MS: '2000' },
    });
    try {
      const begunAt = Date.now();
      const answer = await push(stack, await stack.createMerchant());
      const waitedMs = Date.now() - begunAt;
      expect(answer.status).toBe(200);
      expect(waitedMs).toBeGreaterThanOrEqual(1_900);
      // A slow machine may take longer, but never the 20 s of the default.
      expect(waitedMs).toBeLessThan(19_000);
      expect(await getPaymentOrThrow(stack.db, paymentIdOf(answer))).toMatchObject({
        state: 'received',
        answered_at: expect.any(Date) as Date,
      });
    } finally {
      await stack.stop();
    }
  });
});
