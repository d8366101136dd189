import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import {
  simulatorControl,
  type Exchange,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import { orderOf, orderRequest, post, ratesStored } from '../../../support/rails/walletpay/payments';

const path = '/api/v1/walletpay/create_order';

describe(`POST ${path} once per order_id`, () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant('Duka la Mama');
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const sentFor = async (id: string): Promise<Exchange[]> =>
    (await provider.exchanges('initiate')).filter(({ body }) => JSON.stringify(body).includes(id));

  describe('200', () => {
    it('answers a repeat with the first answer, and calls the provider once', async () => {
      const body = orderRequest({ metadata: { a: 1 } });
      const first = await post(stack, merchant, 'create_order', body);
      const again = await post(stack, merchant, 'create_order', { ...body, amount: '25.00' });
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(await sentFor(orderOf(first).id)).toHaveLength(1);
    });

    it('does so for any number of concurrent requests', async () => {
      const body = orderRequest();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => post(stack, merchant, 'create_order', body)),
      );
      const ids = new Set(answers.map((answer) => orderOf(answer).token));
      expect(ids.size).toBe(1);
      const rows = await stack.db('payments').where({ order_id: String(body['order_id']) });
      expect(rows.map(({ payment_id: id }) => id)).toEqual([orderOf(answers[0] as ApiAnswer).id]);
    });

    it("409: rejects another body with the same order_id, and returns the first one's id", async () => {
      const body = orderRequest();
      const first = orderOf(await post(stack, merchant, 'create_order', body));
      for (const changes of [{ amount: 26 }, { currency: 'KES', amount: 2500 }, { metadata: { a: 1 } }]) {
        const answer = await post(stack, merchant, 'create_order', { ...body, ...changes });
        expect(reported(answer)).toEqual([409, 'ORDER_ID_REUSED']);
        expect(answer.body['payment_id']).toBe(first.id);
      }
    });

    it('409: of two different concurrent ones, one is created', async () => {
      const body = orderRequest();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          post(stack, merchant, 'create_order', { ...body, amount: n + 1 }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body: { code } }) => code === 'ORDER_ID_REUSED')).toHaveLength(9);
    });

    it('is another order for another merchant, and in another letter case', async () => {
      const other = await stack.createMerchant();
      const body = orderRequest({ order_id: 'Same-1' });
      const answers = await Promise.all([
        post(stack, merchant, 'create_order', body),
        post(stack, other, 'create_order', body),
        post(stack, merchant, 'create_order', { ...body, order_id: 'same-1' }),
        post(stack, merchant, 'create_order', { ...body, order_id: 'Same-1 ' }),
      ]);
      expect(new Set(answers.map((answer) => orderOf(answer).id)).size).toBe(4);
    });

    it('may be sent again when nothing was started', async () => {
      const body = orderRequest();
      // Three attempts, and none gets through.
      await provider.next({ call: 'initiate', behave: '429', times: 3 });
      const refused = await post(stack, merchant, 'create_order', body);
      expect(reported(refused)).toEqual([503, 'PROVIDER_UNAVAILABLE']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const again = orderOf(await post(stack, merchant, 'create_order', body));
      expect(again.id).not.toBe(refused.body['payment_id']);
      expect(orderOf(await post(stack, merchant, 'create_order', body))).toEqual(again);
    });

    it('may be sent again when the provider rejected our account', async () => {
      const body = orderRequest();
      await provider.next({ call: 'initiate', behave: '401', times: 2 });
      const first = await post(stack, merchant, 'create_order', body);
      expect(reported(first)).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      expect((await post(stack, merchant, 'create_order', body)).status).toBe(200);
    });
  });
});
