import { randomUUID } from 'node:crypto';
import { ConfigError } from '../../../../src/config';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { testConfig } from '../../../support/cli/cli-support';
import { acceptances, type CreationRequest } from '../../../support/creation-requests';
import { ended } from '../../../support/payments/timeline';
import { resetRules, simulatorControl } from '../../../support/rails/simulator-control';
import { push } from '../../../support/rails/stk/payments';
import { ratesStored } from '../../../support/rails/walletpay/payments';
import { call, paymentIdOf } from '../../../support/merchant-client';
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

  it('ends without a payment page: the same request gets one, although the first order failed', async () => {
    const stack = await startStack({ env: { MALIPO_ACCEPTANCE_TIMEOUT_MS: '2000' } });
    try {
      await ratesStored(stack);
      await stack.kill('worker');
      const merchant = await stack.createMerchant();
      const orders = [
        { what: 'a wallet order', rail: 'walletpay', status: 504, code: 'ACCEPTANCE_UNKNOWN' },
        { what: 'a hosted order', rail: 'cardproc', status: 504, code: 'ACCEPTANCE_UNKNOWN' },
        { what: 'a card order', rail: 'cardproc', status: 500, code: 'PROCESSOR_FAILURE' },
      ] as const;
      const tries = await Promise.all(
        orders.map(async ({ what, rail, ...answered }) => {
          const { path, request, living } = acceptances[what] as CreationRequest;
          const body = await request(stack, merchant, randomUUID());
          const key = { 'Idempotency-Key': randomUUID() };
          const ask = () => call(stack, merchant, 'POST', path, body, key);
          const { status, body: first } = await ask();
          expect({ what, status, code: first.code }).toEqual({ what, ...answered });
          const provider = simulatorControl(stack.simulatorUrl, rail);
          await provider.next({ call: 'initiate', behave: 'drop', times: 20 });
          return { what, ask, living: () => living(stack.db, body) };
        }),
      );
      const firstIds = await Promise.all(tries.map(async ({ living }) => String((await living())[0])));
      await stack.start('worker');
      await Promise.all(firstIds.map((id) => ended(stack.db, id, ['failed'], 120_000)));
      await resetRules(stack.simulatorUrl);
      for (const { what, ask } of tries) {
        const { status, body } = await ask();
        const page = body['redirect_url'] ?? body.data?.['approval_url'];
        expect({ what, status, page }).toEqual({ what, status: 200, page: expect.stringMatching(/^http/) });
      }
    } finally {
      await stack.stop();
    }
  });
});
