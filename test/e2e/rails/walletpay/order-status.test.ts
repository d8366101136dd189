import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  decide,
  get,
  newOrder,
  paidOrder,
  ratesStored,
  shownAs,
  stored,
} from '../../../support/rails/walletpay/payments';

const path = '/api/v1/walletpay/order_status';
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe(`GET ${path}`, () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const ask = (query: Record<string, string>) => get(stack, merchant, 'order_status', query);

  describe('200', () => {
    it('shows an order that waits for its buyer', async () => {
      const order = await newOrder(stack, merchant, { amount: '12.50' });
      const answer = await ask({ walletpay_order_id: order.token });
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          success: true,
          data: {
            walletpay_order_id: order.token,
            transaction_id: order.id,
            sequence: expect.any(Number) as number,
            order_id: order.orderId,
            approval_url: order.approvalUrl,
            status: 'Pending',
            is_final: false,
            next_step: expect.objectContaining({ code: 'open_page' }),
            amount: 12.5,
            currency: 'USD',
            order_rate: null,
            capture_id: null,
            capture_status: null,
            captured_amount: null,
            captured_currency: null,
            credited_amount: null,
            credited_currency: null,
            rate: null,
            rounding_amount: null,
            failure_code: null,
            failure_message: null,
            correction: false,
            created_at: expect.stringMatching(isoUtc),
            updated_at: expect.stringMatching(isoUtc),
          },
        },
      ]);
    });

    it('finds an order by the merchant’s order_id, and by both', async () => {
      const { id, token, orderId } = await newOrder(stack, merchant);
      for (const query of [{ order_id: orderId }, { order_id: orderId, walletpay_order_id: token }]) {
        expect((await ask(query)).body.data).toMatchObject({ transaction_id: id });
      }
    });

    it('finds an order by the payment_id in an error', async () => {
      const { id, orderId } = await newOrder(stack, merchant);
      expect((await ask({ payment_id: id })).body.data).toMatchObject({ order_id: orderId });
      for (const payment_id of ['ñ', '0b9a2c61-5f44-4a3e-9c1d-7d2e8f60a111']) {
        expect((await ask({ payment_id })).status).toBe(404);
      }
    });

    it('shows the captured and credited amounts, each in its currency and with its rate', async () => {
      const order = await paidOrder(stack, merchant, provider, {
        amount: '1295.00',
        currency: 'KES',
        metadata: { preferred_currency: 'UGX' },
      });
      expect((await ask({ order_id: order.orderId })).body.data).toMatchObject({
        status: 'Completed',
        is_final: true,
        amount: 1295,
        currency: 'KES',
        // One over 129.50, as stored with the order.
        order_rate: expect.stringMatching(/^0\.0077220077/),
        capture_id: order.captureId,
        capture_status: 'COMPLETED',
        captured_amount: 10,
        captured_currency: 'USD',
        credited_amount: 37_000,
        credited_currency: 'UGX',
        rate: '3700',
      });
    });

    it('shows why an order failed', async () => {
      const order = await newOrder(stack, merchant, { amount: '4.01' });
      await decide(provider, order, 'approve_and_close');
      const shown = await shownAs(
        stack,
        merchant,
        'order_status',
        { order_id: order.orderId },
        { status: 'Failed' },
      );
      expect(shown).toMatchObject({
        is_final: true,
        capture_status: 'DECLINED',
        captured_amount: null,
        credited_amount: null,
        failure_code: 'CAPTURE_DECLINED',
        failure_message: expect.any(String),
      });
    });

    it('shows each refund, their sum, and the rest: the sums add up', async () => {
      const order = await paidOrder(stack, merchant, provider, { amount: '20.00' });
      const query = { walletpay_order_id: order.token };
      await provider.notify(`captures/${order.captureId}`, { action: 'refund', amount: '5.00' });
      const first = await shownAs(stack, merchant, 'order_status', query, { refund_amount: 5 });
      expect(first).toMatchObject({
        status: 'Refunded',
        refund_id: expect.stringMatching(/^[A-Z0-9]{17}$/),
        refunded_total: 5,
        refund_currency: 'USD',
        partially_refunded: true,
        credited_amount: 15,
      });
      await provider.notify(`captures/${order.captureId}`, { action: 'refund' });
      const all = await shownAs(stack, merchant, 'order_status', query, { refunded_total: 20 });
      expect(all).toMatchObject({ refund_amount: 15, partially_refunded: false, credited_amount: 0 });
      expect(all['refund_id']).not.toBe(first['refund_id']);
      await stored(stack, order.id, { state: 'refunded', returned_minor: '2000' });
    });

    it('starts nothing and sends the provider nothing', async () => {
      const order = await newOrder(stack, merchant);
      await decide(provider, order, 'cancel');
      await ask({ walletpay_order_id: order.token });
      const asked = [...(await provider.exchanges('query')), ...(await provider.exchanges('capture'))];
      expect(asked.filter(({ url }) => url.includes(order.token))).toEqual([]);
    });
  });

  describe('404', () => {
    it('answers the same for unknown ids, another merchant’s, and a payout’s', async () => {
      const other = await stack.createMerchant();
      const order = await newOrder(stack, other);
      for (const query of [
        { walletpay_order_id: order.token },
        { order_id: order.orderId },
        { order_id: 'unknown' },
        { walletpay_order_id: 'é💸' },
      ]) {
        expect(reported(await ask(query))).toEqual([404, 'PAYMENT_NOT_FOUND']);
      }
      const own = await newOrder(stack, merchant);
      expect(reported(await ask({ order_id: own.orderId, walletpay_order_id: order.token }))).toEqual([
        404,
        'PAYMENT_NOT_FOUND',
      ]);
    });
  });

  describe('400', () => {
    it.each([{}, { transaction_id: 'x' }, { order_id: '' }, { walletpay_order_id: 't'.repeat(121) }])(
      'rejects the query %#',
      async (query) => {
        expect(reported(await ask(query as Record<string, string>))).toEqual([400, 'VALIDATION_FAILED']);
      },
    );

    it('names the parameters of which one is required', async () => {
      expect((await ask({})).body.message).toBe('walletpay_order_id or order_id or payment_id is required');
    });
  });
});
