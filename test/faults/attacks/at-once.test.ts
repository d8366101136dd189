/** A hundred requests at the same moment, of which only one, or a limited number, may count. */
import { ended, push } from '../../support/rails/stk/payments';
import { everythingEndsWell, initiations } from '../support/ending-well';
import { call, paymentIdOf, stkPush, type ApiAnswer } from '../../support/merchant-client';
import { startStack, type OwnStack } from '../../support/stack';
import { asOurs } from '../../support/own-rows';

describe('a hundred requests at once', () => {
  let stack: OwnStack;
  let otherApiUrl: string;
  beforeAll(async () => {
    // No request may fail for lack of a place or a connection: only the duplicates and limits are tested.
    stack = await startStack({
      timeScale: 20,
      env: { MALIPO_ACCEPTANCES_MAX: '200', MALIPO_BACKLOG_MAX_MS: '600000', MALIPO_DATABASE_POOL: '30' },
    });
    otherApiUrl = (await stack.startAnother('api')).url;
  });
  afterAll(() => stack.stop());

  /** Every second request goes to the other API process. */
  function apiFor(n: number): Pick<OwnStack, 'apiUrl'> {
    return { apiUrl: n % 2 === 0 ? stack.apiUrl : otherApiUrl };
  }

  it('with one Idempotency-Key create one payment, whichever process receives them', async () => {
    const merchant = await stack.createMerchant();
    const body = stkPush();
    const key = { 'Idempotency-Key': 'order-1' };
    const send = (n: number) => call(apiFor(n), merchant, 'POST', '/api/v1/stk_push', body, key);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => send(n)));

    const accepted = answers.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(paymentIdOf)).size).toBe(1);
    const waiting = answers.filter(({ status }) => status !== 200);
    expect(waiting.filter(({ body: { code } }) => code !== 'REQUEST_IN_PROGRESS')).toEqual([]);
    expect(paymentIdOf(await send(1))).toBe(paymentIdOf(accepted[0] as ApiAnswer));
    expect(await stack.db('payments').where({ merchant_id: merchant.merchantId })).toHaveLength(1);
    expect(await initiations(stack.simulatorUrl)).toHaveLength(1);
    await everythingEndsWell(stack, {
      merchants: [merchant],
      accepted: accepted.slice(0, 1).map(paymentIdOf),
    });
  });

  it('for the same payment without a key create one, and all others get its id', async () => {
    const merchant = await stack.createMerchant('Guarded Shop', { duplicateWindow: 40 * 60 });
    const body = stkPush();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => call(apiFor(n), merchant, 'POST', '/api/v1/stk_push', body)),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    expect(new Set(answers.map(paymentIdOf)).size).toBe(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(99);
    expect(new Set(refused.map(({ body: { code } }) => code))).toEqual(new Set(['DUPLICATE_PAYMENT']));
    expect(await stack.db('payments').where({ merchant_id: merchant.merchantId })).toHaveLength(1);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: accepted.map(paymentIdOf) });
  });

  it('are counted together by all API processes, and those above the limit are rejected', async () => {
    const merchant = await stack.createMerchant();
    const limits = { stk_rate: 1, stk_burst: 20 };
    await stack.db('merchants').where({ merchant_id: merchant.merchantId }).update(limits);
    await asOurs(stack.db, 'merchants', merchant.merchantId);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => push(apiFor(n), merchant)));

    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(20);
    for (const { status, headers } of answers.filter((answer) => !accepted.includes(answer))) {
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    for (const answer of accepted) await ended(stack.db, paymentIdOf(answer));
    await everythingEndsWell(stack, { merchants: [merchant], accepted: accepted.map(paymentIdOf) });
  });
});
