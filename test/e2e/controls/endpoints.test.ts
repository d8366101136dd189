import { setLimit, type NewLimit } from '../../../src/controls/limits';
import { transferBody, fund } from '../../support/rails/momo/payments';
import { canPayOut, payoutRequest } from '../../support/rails/walletpay/payments';
import { expectClean } from '../../support/expect-clean';
import { call } from '../../support/merchant-client';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';

const endpoints = [
  { path: '/api/v1/momo/payout', currency: 'ZMW', body: (amount: string) => transferBody({ amount }) },
  {
    path: '/api/v1/momo/bulk_payout',
    currency: 'ZMW',
    place: 'payouts.0',
    body: (amount: string) => ({ order_id: name(), payouts: [transferBody({ amount })] }),
  },
  {
    path: '/api/v1/walletpay/create_payout',
    currency: 'USD',
    body: (amount: string) => payoutRequest({ amount, order_id: name() }),
  },
  {
    path: '/api/v1/walletpay/bulk_payout',
    currency: 'USD',
    place: 'payouts.0',
    body: (amount: string) => ({ order_id: name(), payouts: [payoutRequest({ amount, order_id: name() })] }),
  },
] as const;

let names = 0;
function name(): string {
  names += 1;
  return `LIMITED-${String(names)}`;
}

describe('a limit on payouts', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
  });
  beforeEach(async () => {
    merchant = await stack.createMerchant();
    await fund(stack, merchant, 10_000_000n);
    await canPayOut(stack, merchant, 10_000_000n);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const post = (path: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
    call(stack, merchant, 'POST', path, body, headers);
  const limit = (given: Pick<NewLimit, 'kind' | 'currency' | 'amount'>) =>
    setLimit(
      stack.db,
      { merchant_id: merchant.merchantId, reason: 'a test', ...given },
      { by: 'nobody', aheadMs: 0 },
    );
  const payouts = () => stack.db('payments').where({ merchant_id: merchant.merchantId, kind: 'payout' });

  it.each(endpoints)(
    'is reported by POST $path with 400, the limit and the time when it frees',
    async (endpoint) => {
      const { path, currency, body } = endpoint;
      const place = 'place' in endpoint ? `${endpoint.place}: ` : '';
      await limit({ kind: 'per_day', currency, amount: '1000' });
      expect((await post(path, body('6.00'))).status).toBe(200);
      const refused = await post(path, body('6.00'));
      const [first] = await stack.db('outflows').where({ merchant_id: merchant.merchantId });
      const freesAt = new Date((first?.accepted_at.getTime() ?? 0) + 86_400_000).toISOString();
      const message = `${place}At most 10.00 ${currency} can be paid out in 24 hours; this payout fits from ${freesAt}`;
      expect([refused.status, refused.body]).toEqual([
        400,
        {
          success: false,
          code: 'OUTFLOW_LIMIT_REACHED',
          error: message,
          message,
          limit: 'per_day',
          limit_amount: '10.00',
          limit_currency: currency,
          frees_at: freesAt,
          request_id: expect.any(String),
          timestamp: expect.any(String),
          timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          ...(place === '' ? {} : { details: [{ field: 'payouts.0', message }] }),
        },
      ]);
      expect((await post(path, body('4.00'))).status).toBe(200);
      expect(await payouts()).toHaveLength(2);
    },
  );

  it.each(endpoints)(
    'counts a request to POST $path once, however often it is repeated',
    async ({ path, currency, body }) => {
      await limit({ kind: 'per_day', currency, amount: '1000' });
      const request = body('6.00');
      const headers = path.includes('bulk') ? {} : { 'Idempotency-Key': name() };
      const answers = await Promise.all(Array.from({ length: 5 }, () => post(path, request, headers)));
      expect(answers.filter(({ status }) => status === 400)).toEqual([]);
      expect((await post(path, request, headers)).status).toBe(200);
      expect((await post(path, body('4.00'))).status).toBe(200);
      expect(await payouts()).toHaveLength(2);
    },
  );
});
