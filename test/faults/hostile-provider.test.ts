/** A provider whose answers are invalid: too large, endless, a byte per second, cut off. */
import { ended, push } from '../support/rails/stk/payments';
import { paymentIdOf, type ApiAnswer } from '../support/merchant-client';
import { expectClean } from '../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { nothingIsOpen } from './support/ending-well';
import {
  drip,
  endless,
  huge,
  page,
  startHostileProvider,
  type HostileProvider,
} from './support/hostile-provider';

const html = '<html><body>Welcome</body></html>';
const badAnswers = [
  ['of fifty megabytes', '254716000001', huge],
  ['without an end', '254716000002', endless],
  ['of one byte per second', '254716000003', drip],
  ['that is empty', '254716000006', page(200, '')],
  ['cut off in the middle', '254716000007', page(200, '{"ResponseCode":"0","CheckoutReq')],
  ['of JSON that accepts nothing', '254716000008', page(200, '{"ResponseCode":0,"CheckoutRequestID":[]}')],
] as const;

describe('a provider', () => {
  let provider: HostileProvider;
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    provider = await startHostileProvider();
    stack = await startStack({ timeScale: 20, without: ['simulator'], env: { STK_BASE_URL: provider.url } });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await nothingIsOpen(stack.db);
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
    await provider.close();
  });

  describe('whose token endpoint is down', () => {
    let refused: ApiAnswer;
    beforeAll(async () => {
      provider.answerTokensWith(page(503, html));
      refused = await push(stack, merchant, { phone_number: '254716000009' });
    });

    it('gets no submission, and the merchant gets the answer that nothing was started', () => {
      expect(refused.status).toBe(503);
      expect(refused.body.code).toBe('PROVIDER_UNAVAILABLE');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(provider.prompts).toEqual([]);
      expect(provider.tokensAsked()).toBe(3);
    });

    it('leaves a payment that failed before the provider received it', async () => {
      const payment = await ended(stack.db, paymentIdOf(refused), ['failed']);
      expect(payment.failure_code).toBe('PROVIDER_UNAVAILABLE');
    });
  });

  describe('whose answer is unreadable', () => {
    const answers = new Map<string, ApiAnswer>();
    beforeAll(async () => {
      provider.answerTokensWith((response) => {
        response.end('{"access_token":"hostile","expires_in":"3599"}');
      });
      for (const [, phone, answer] of badAnswers) provider.answerTo(phone, answer);
      await Promise.all(
        badAnswers.map(async ([, phone]) => {
          answers.set(phone, await push(stack, merchant, { phone_number: phone }));
        }),
      );
    });

    it.each(badAnswers)(
      '%s does not mean a rejection: the payment is accepted, submitted once, and times out',
      async (_, phone) => {
        const answer = answers.get(phone);
        expect(answer?.status).toBe(200);
        expect(answer?.body.data).toMatchObject({ checkout_request_id: '' });
        const payment = await ended(stack.db, paymentIdOf(answer as ApiAnswer));
        expect(payment).toMatchObject({ state: 'timed_out', failure_code: 'OUTCOME_UNKNOWN' });
        expect(provider.prompts.filter((asked) => asked === phone)).toHaveLength(1);
      },
    );
  });
});
