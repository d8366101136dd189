import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf } from '../../../support/payment-story';
import type { ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  capture,
  decide,
  get,
  newOrder,
  paidOrder,
  ratesStored,
  stored,
  toldOf,
  webhooksTo,
} from '../../../support/rails/walletpay/payment-story';

const path = '/api/v1/walletpay/capture';
const second = 1_000;

describe(`GET ${path}`, () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    // Nothing here waits for a look, and none may come between: whoever finds an order approved captures it.
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const told = ({ status, body }: ApiAnswer) => [status, body.code];
  const capturesOf = async (token: string) =>
    (await provider.exchanges('capture')).filter(({ url }) => url.includes(token));

  describe('200', () => {
    it('takes the money of an approved order, and answers with the fields of the specification', async () => {
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

    it('answers the same again and again, and credits once', async () => {
      const order = await newOrder(stack, merchant);
      await decide(provider, order, 'approve');
      const first = await capture(stack, merchant, order);
      for (let time = 0; time < 3; time += 1) {
        const again = await capture(stack, merchant, order);
        expect([again.status, again.body]).toEqual([200, first.body]);
      }
      await toldOf(merchant, order.id, 'Completed');
      await atRest(stack.db, order.id);
      expect(await creditsOf(stack.db, order.id)).toEqual([2_500n]);
      expect(await capturesOf(order.token)).toHaveLength(1);
      expect(webhooksTo(merchant, order.id)).toHaveLength(1);
    });

    it('answers twenty at once alike, and credits once', async () => {
      const order = await newOrder(stack, merchant);
      await decide(provider, order, 'approve');
      const answers = await Promise.all(Array.from({ length: 20 }, () => capture(stack, merchant, order)));
      expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
      expect(answers[0]?.body.data).toMatchObject({ status: 'Completed' });
      await atRest(stack.db, order.id);
      expect(await creditsOf(stack.db, order.id)).toEqual([2_500n]);
    });

    it('shows what was captured: of a KES order, the USD', async () => {
      const order = await newOrder(stack, merchant, { amount: '1295.00', currency: 'KES' });
      await decide(provider, order, 'approve');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({
        status: 'Completed',
        amount: 10,
        currency: 'USD',
      });
    });

    it('says Pending of what the provider has captured and still looks into, so that nobody is credited yet', async () => {
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

    it('says Refunded once the money went back', async () => {
      const order = await paidOrder(stack, merchant, provider);
      await provider.tell(`captures/${order.captureId}`, { action: 'refund' });
      await stored(stack, order.id, { state: 'refunded' });
      const { status, body } = await capture(stack, merchant, order);
      expect([status, body.data?.status, body.data?.capture_id]).toEqual([200, 'Refunded', order.captureId]);
    });
  });

  describe('409', () => {
    it('says that the buyer has not approved yet, and leaves the order open', async () => {
      const order = await newOrder(stack, merchant);
      expect(told(await capture(stack, merchant, order))).toEqual([409, 'ORDER_NOT_APPROVED']);
      await decide(provider, order, 'approve');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Completed' });
    });

    it('says that the buyer’s payment method was declined; after another try it works', async () => {
      const order = await newOrder(stack, merchant, { amount: '3.05' });
      // Its event would have us try again before the merchant does, where the merchant is slow.
      const where = { order_id: order.token };
      await provider.next({ call: 'callback', behave: 'drop', times: 9, where });
      await decide(provider, order, 'approve');
      const declined = await capture(stack, merchant, order);
      expect(told(declined)).toEqual([409, 'ORDER_NOT_APPROVED']);
      expect(declined.body['error']).toContain('was declined');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Completed' });
    });

    it('says that the provider declined the capture, and in which word', async () => {
      const order = await newOrder(stack, merchant, { amount: '4.01' });
      await decide(provider, order, 'approve');
      const answer = await capture(stack, merchant, order);
      expect(told(answer)).toEqual([409, 'ORDER_FAILED']);
      expect(answer.body['failure_code']).toBe('CAPTURE_DECLINED');
      expect(told(await capture(stack, merchant, order))).toEqual([409, 'ORDER_FAILED']);
    });
  });

  describe('404', () => {
    it('answers an unknown pair, half of one, and somebody else’s alike', async () => {
      const other = await stack.createMerchant();
      // Nobody has approved it: an approved order is captured without being asked for, once its look is due.
      const [order, second_] = [await newOrder(stack, merchant), await newOrder(stack, merchant)];
      const answers = await Promise.all([
        get(stack, merchant, 'capture', { token: '5O190127TN364715T', order_id: order.orderId }),
        get(stack, merchant, 'capture', { token: order.token, order_id: 'other' }),
        get(stack, merchant, 'capture', { token: order.token, order_id: second_.orderId }),
        get(stack, merchant, 'capture', { token: order.id, order_id: order.orderId }),
        capture(stack, other, order),
      ]);
      for (const answer of answers) expect(told(answer)).toEqual([404, 'PAYMENT_NOT_FOUND']);
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
    ])('refuses the query %j', async (query: Record<string, string>, fields) => {
      const answer = await get(stack, merchant, 'capture', query);
      expect(told(answer)).toEqual([400, 'VALIDATION_FAILED']);
      expect(answer.body.details?.map(({ field }) => field)).toEqual(fields);
    });

    it('refuses a token that comes twice', async () => {
      const url = `${stack.apiUrl}${path}?token=A&token=B&order_id=O`;
      const headers = { 'X-API-Key': merchant.apiKey, 'X-API-Secret': merchant.apiSecret };
      expect((await fetch(url, { headers })).status).toBe(400);
    });
  });
});
