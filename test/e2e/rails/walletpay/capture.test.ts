import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf } from '../../../support/payments/timeline';
import type { ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import {
  resetRules,
  simulatorControl,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import {
  capture,
  decide,
  get,
  newOrder,
  paidOrder,
  ratesStored,
  stored,
  notifiedOf,
  webhooksTo,
} from '../../../support/rails/walletpay/payments';

const path = '/api/v1/walletpay/capture';
const second = 1_000;

describe(`GET ${path}`, () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    // No check is due here, and none may run meanwhile: a check of an approved order captures it.
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const capturesOf = async (token: string) =>
    (await provider.exchanges('capture')).filter(({ url }) => url.includes(token));

  describe('200', () => {
    it('captures an approved order, and answers with the specified fields', async () => {
      const order = await newOrder(stack, merchant, { amount: '12.50' });
      await decide(provider, order, 'approve');
      const answer = await capture(stack, merchant, order);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          success: true,
          data: {
            capture_id: expect.stringMatching(/^[A-Z0-9]{17}$/),
            status: 'Completed',
            amount: 12.5,
            currency: 'USD',
            order_id: order.orderId,
            walletpay_order_id: order.token,
          },
        },
      ]);
      expect(await creditsOf(stack.db, order.id)).toEqual([1_250n]);
    });

    it('repeats its answer, and credits once', async () => {
      const order = await newOrder(stack, merchant);
      await decide(provider, order, 'approve');
      const first = await capture(stack, merchant, order);
      for (let time = 0; time < 3; time += 1) {
        const again = await capture(stack, merchant, order);
        expect([again.status, again.body]).toEqual([200, first.body]);
      }
      await notifiedOf(merchant, order.id, 'Completed');
      await atRest(stack.db, order.id);
      expect(await creditsOf(stack.db, order.id)).toEqual([2_500n]);
      expect(await capturesOf(order.token)).toHaveLength(1);
      expect(webhooksTo(merchant, order.id)).toHaveLength(1);
    });

    it('answers twenty concurrent requests the same, and credits once', async () => {
      const order = await newOrder(stack, merchant);
      await decide(provider, order, 'approve');
      const answers = await Promise.all(Array.from({ length: 20 }, () => capture(stack, merchant, order)));
      expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
      expect(answers[0]?.body.data).toMatchObject({ status: 'Completed' });
      await atRest(stack.db, order.id);
      expect(await creditsOf(stack.db, order.id)).toEqual([2_500n]);
    });

    it('answers Pending while the provider does not say whether the buyer has approved', async () => {
      const order = await newOrder(stack, merchant, { amount: '2.17' });
      const where = { order_id: order.token };
      await provider.next({ call: 'callback', behave: 'drop', times: 9, where });
      await decide(provider, order, 'approve');
      await provider.next({ call: 'query', behave: '500', times: 9, where });
      const { status, body } = await capture(stack, merchant, order);
      expect([status, body.data?.status, body['message']]).toEqual([
        200,
        'Pending',
        expect.stringContaining('not known yet'),
      ]);
      await resetRules(stack.simulatorUrl);
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Completed' });
    });

    it('answers Pending while the provider is capturing, and never sends the buyer to the page again', async () => {
      const order = await newOrder(stack, merchant, { amount: '2.11' });
      const where = { order_id: order.token };
      await provider.next({ call: 'callback', behave: 'drop', times: 9, where });
      await decide(provider, order, 'approve');
      const { status, body } = await capture(stack, merchant, order);
      expect([status, body.data?.status, body['message']]).toEqual([
        200,
        'Pending',
        expect.stringContaining('not known yet'),
      ]);
      const { body: shown } = await get(stack, merchant, 'order_status', { order_id: order.orderId });
      expect(shown.data).toMatchObject({ status: 'Pending', next_step: { code: 'wait' } });
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Completed' });
    });

    it('shows the captured amount: USD for a KES order', async () => {
      const order = await newOrder(stack, merchant, { amount: '1295.00', currency: 'KES' });
      await decide(provider, order, 'approve');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({
        status: 'Completed',
        amount: 10,
        currency: 'USD',
      });
    });

    it('answers Pending while the provider reviews the capture, so that no customer is credited yet', async () => {
      const order = await newOrder(stack, merchant, { amount: '7.03' });
      await decide(provider, order, 'approve');
      const answer = await capture(stack, merchant, order);
      expect([answer.status, answer.body.data]).toEqual([
        200,
        {
          capture_id: expect.stringMatching(/^[A-Z0-9]{17}$/),
          status: 'Pending',
          amount: 7.03,
          currency: 'USD',
          order_id: order.orderId,
          walletpay_order_id: order.token,
        },
      ]);
      expect(await creditsOf(stack.db, order.id)).toEqual([]);
      await provider.advance(65 * second);
      await stored(stack, order.id, { state: 'succeeded' });
      const { body } = await capture(stack, merchant, order);
      expect(body.data).toEqual({ ...answer.body.data, status: 'Completed' });
    });

    it('finds the capture whose answer was lost', async () => {
      const order = await newOrder(stack, merchant, { amount: '9.06' });
      await decide(provider, order, 'approve');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Completed' });
      await atRest(stack.db, order.id);
      expect(await creditsOf(stack.db, order.id)).toEqual([906n]);
    });

    it('answers Refunded once the money was refunded', async () => {
      const order = await paidOrder(stack, merchant, provider);
      await provider.notify(`captures/${order.captureId}`, { action: 'refund' });
      await stored(stack, order.id, { state: 'refunded' });
      const { status, body } = await capture(stack, merchant, order);
      expect([status, body.data?.status, body.data?.capture_id]).toEqual([200, 'Refunded', order.captureId]);
    });
  });

  describe('409', () => {
    it('reports that the buyer has not approved yet, and leaves the order open', async () => {
      const order = await newOrder(stack, merchant);
      expect(reported(await capture(stack, merchant, order))).toEqual([409, 'ORDER_NOT_APPROVED']);
      await decide(provider, order, 'approve');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Completed' });
    });

    it('reports a declined payment method; after another attempt it works', async () => {
      const order = await newOrder(stack, merchant, { amount: '3.05' });
      // Its event would make us capture again before a slow merchant does.
      const where = { order_id: order.token };
      await provider.next({ call: 'callback', behave: 'drop', times: 9, where });
      await decide(provider, order, 'approve');
      const declined = await capture(stack, merchant, order);
      expect(reported(declined)).toEqual([409, 'ORDER_NOT_APPROVED']);
      expect(declined.body['error']).toContain('was declined');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Completed' });
    });

    it('reports that the provider declined the capture, with its code', async () => {
      const order = await newOrder(stack, merchant, { amount: '4.01' });
      await decide(provider, order, 'approve');
      const answer = await capture(stack, merchant, order);
      expect(reported(answer)).toEqual([409, 'ORDER_FAILED']);
      expect(answer.body['failure_code']).toBe('CAPTURE_DECLINED');
      expect(reported(await capture(stack, merchant, order))).toEqual([409, 'ORDER_FAILED']);
    });
  });

  describe('404', () => {
    it('answers the same for an unknown pair, half of one, and another merchant’s', async () => {
      const other = await stack.createMerchant();
      // It is not approved: an approved order would be captured at its next check.
      const [order, second_] = [await newOrder(stack, merchant), await newOrder(stack, merchant)];
      const answers = await Promise.all([
        get(stack, merchant, 'capture', { token: '5O190127TN364715T', order_id: order.orderId }),
        get(stack, merchant, 'capture', { token: order.token, order_id: 'other' }),
        get(stack, merchant, 'capture', { token: order.token, order_id: second_.orderId }),
        get(stack, merchant, 'capture', { token: order.id, order_id: order.orderId }),
        capture(stack, other, order),
      ]);
      for (const answer of answers) expect(reported(answer)).toEqual([404, 'PAYMENT_NOT_FOUND']);
      expect(await capturesOf(order.token)).toEqual([]);
    });
  });

  describe('400', () => {
    it.each([
      [{}, ['token', 'order_id']],
      [{ token: 'T' }, ['order_id']],
      [{ order_id: 'O' }, ['token']],
      [{ token: '', order_id: '' }, ['token', 'order_id']],
      [{ token: 't'.repeat(121), order_id: 'O' }, ['token']],
    ])('rejects the query %j', async (query: Record<string, string>, fields) => {
      const answer = await get(stack, merchant, 'capture', query);
      expect(reported(answer)).toEqual([400, 'VALIDATION_FAILED']);
      expect(answer.body.details?.map(({ field }) => field)).toEqual(fields);
    });

    it('rejects a repeated token', async () => {
      const url = `${stack.apiUrl}${path}?token=A&token=B&order_id=O`;
      const headers = { 'X-API-Key': merchant.apiKey, 'X-API-Secret': merchant.apiSecret };
      expect((await fetch(url, { headers })).status).toBe(400);
    });
  });
});
