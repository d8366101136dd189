/** A provider that hangs, breaks off or answers nonsense, at each of its calls. */
import { simulatorControl, type SimulatorControl } from '../rails/simulator-control';
import { creditsOf, ended, push } from '../rails/stk/payment-story';
import { paymentIdOf } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';

jest.setTimeout(90_000);

/** Whether the payer was asked, and so what became of the payment. */
const initiations = [
  ['hang', '254717000001', 'timed_out'],
  ['drop', '254717000002', 'timed_out'],
  ['500', '254717000003', 'timed_out'],
  ['html', '254717000004', 'timed_out'],
  ['act_then_500', '254717000005', 'succeeded'],
] as const;
const queries = [
  ['hang', '254717000011'],
  ['drop', '254717000012'],
  ['500', '254717000013'],
  ['html', '254717000014'],
  ['429', '254717000015'],
  ['expired_token', '254717000016'],
] as const;

describe('a provider', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  const paymentIds = new Map<string, string>();
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    for (const [behave, phone] of initiations) {
      await provider.next({ call: 'initiate', behave, where: { phone_number: phone } });
    }
    for (const [behave, phone] of queries) {
      await provider.next({ call: 'query', behave, times: 2, where: { phone_number: phone } });
    }
    await Promise.all(
      [...initiations, ...queries].map(async ([, phone]) => {
        const answer = await push(stack, merchant, { phone_number: phone });
        if (answer.status === 200) paymentIds.set(phone, paymentIdOf(answer));
      }),
    );
  });
  afterAll(async () => {
    await everythingEndsWell(stack, { merchants: [merchant], accepted: [...paymentIds.values()] });
    await stack.stop();
  });

  it.each(initiations)(
    'that answers a prompt with "%s" is never taken to have refused it',
    async (_, phone, end) => {
      const paymentId = paymentIds.get(phone) ?? '';
      const payment = await ended(stack.db, paymentId);
      expect(payment.state).toBe(end);
      const attempts = await stack.db('attempts').where({ payment_id: paymentId });
      expect(attempts.map(({ state }) => state)).toEqual(['unknown']);
      const asked = (await provider.exchanges('initiate')).filter(
        ({ body }) => body['PhoneNumber'] === phone,
      );
      expect(asked).toHaveLength(1);
      expect(await creditsOf(stack.db, paymentId)).toEqual(end === 'succeeded' ? [125_000n] : []);
    },
  );

  it.each(queries)('that answers a question with "%s" is asked again until it tells', async (_, phone) => {
    const paymentId = paymentIds.get(phone) ?? '';
    await ended(stack.db, paymentId, ['succeeded']);
    expect(await creditsOf(stack.db, paymentId)).toEqual([125_000n]);
  });
});
