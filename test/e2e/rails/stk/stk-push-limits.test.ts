import { setMerchant } from '../../../../src/merchants/merchants';
import { expectClean } from '../../../support/expect-clean';
import { call, stkPush, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';

describe('POST /api/v1/stk_push', () => {
  let stack: Stack;
  let second: Stack;
  beforeAll(async () => {
    stack = await sharedStack();
    const { DATABASE_URL: url = '', MALIPO_SECRET_KEYS = '', MALIPO_TASK_QUEUE = '' } = stack.env;
    // A second API process on the same database, as behind a load balancer.
    second = await startStack({
      without: ['worker', 'simulator'],
      database: { url, db: stack.db, drop: () => Promise.resolve() },
      env: { MALIPO_SECRET_KEYS, MALIPO_TASK_QUEUE },
    });
  });
  afterAll(async () => {
    await second.stop();
    await expectClean(stack);
    await stack.stop();
  });

  async function merchantWith(stkRate: number, stkBurst: number): Promise<TestMerchant> {
    const merchant = await stack.createMerchant();
    await setMerchant(stack.db, merchant.merchantId, { stkRate, stkBurst }, { environment: 'sandbox' });
    return merchant;
  }

  /** Too small an amount: the request is counted like any other, and has no other effect. */
  const counted = (merchant: TestMerchant, api: Pick<Stack, 'apiUrl'>) =>
    call(api, merchant, 'POST', '/api/v1/stk_push', stkPush({ amount: '1.00' }));
  const atOnce = (merchant: TestMerchant, count: number): Promise<ApiAnswer[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => counted(merchant, n % 2 === 0 ? stack : second)));
  const passed = (answers: ApiAnswer[]) => answers.filter(({ status }) => status !== 429).length;

  describe('an amount with cents', () => {
    const asked = (merchant: TestMerchant, amount: string) =>
      call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush({ phone_number: '254712000012', amount }));

    it('has a warning about the asked amount, and one without cents has none', async () => {
      const merchant = await stack.createMerchant();
      expect((await asked(merchant, '12.50')).body.message).toContain('for 12.00 KES of the requested 12.50');
      expect((await asked(merchant, '13.00')).body.message).not.toContain('shillings');
    });

    it('400: is rejected for a merchant with that setting, with the possible amounts', async () => {
      const exact = await stack.createMerchant();
      await setMerchant(stack.db, exact.merchantId, { stkCents: 'refuse' }, { environment: 'sandbox' });
      const refused = await asked(exact, '10.50');
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_AMOUNT']);
      expect(refused.body.details).toEqual([
        { field: 'amount', message: 'amount must be in whole shillings, such as 10.00 or 11.00' },
      ]);
      expect((await asked(exact, '11.00')).status).toBe(200);
    });
  });

  describe('429', () => {
    it('admits 100 of 120 concurrent ones by default, over both API processes', async () => {
      const merchant = await merchantWith(60, 100);
      expect(passed(await atOnce(merchant, 120))).toBe(100);
    });

    it('admits exactly the burst while no token refills', async () => {
      expect(passed(await atOnce(await merchantWith(1, 100), 120))).toBe(100);
    });

    it('has the retry time', async () => {
      const merchant = await merchantWith(1, 1);
      await counted(merchant, stack);
      const answer = await counted(merchant, second);
      expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
      const retryAfter = Number(answer.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThan(50);
      // The last minute is counted in whole seconds.
      expect(retryAfter).toBeLessThanOrEqual(61);
    });

    it('ends at the reported time', async () => {
      const merchant = await merchantWith(60, 1);
      await counted(merchant, stack);
      const refused = await counted(merchant, stack);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      await stack.db.raw(
        'UPDATE rate_limit_buckets SET refilled_at = refilled_at - INTERVAL 1 SECOND WHERE bucket = ?',
        [`stk:${merchant.merchantId}`],
      );
      expect((await counted(merchant, stack)).status).toBe(400);
    });

    it("does not affect another merchant, nor this one's reads", async () => {
      const [busy, quiet] = [await merchantWith(1, 1), await merchantWith(1, 1)];
      await counted(busy, stack);
      expect((await counted(busy, stack)).status).toBe(429);
      expect((await counted(quiet, stack)).status).toBe(400);
      expect((await call(stack, busy, 'GET', '/api/v1/query_balance')).status).toBe(200);
    });

    it('is not reported to a caller with a wrong secret, who cannot use it up either', async () => {
      const merchant = await merchantWith(1, 1);
      const wrongSecret = { ...merchant, apiSecret: 'sk_test_wrong' };
      for (let n = 0; n < 3; n += 1) expect((await counted(wrongSecret, stack)).status).toBe(401);
      expect((await counted(merchant, stack)).status).toBe(400);
    });
  });

  it('a payment created by one API process is visible in the other', async () => {
    const merchant = await stack.createMerchant();
    const answer = await call(second, merchant, 'POST', '/api/v1/stk_push', stkPush());
    const status = await call(
      stack,
      merchant,
      'GET',
      `/api/v1/stk_push/status?payment_id=${String(answer.body.data?.payment_id)}`,
    );
    expect([answer.status, status.status]).toEqual([200, 200]);
  });
});
