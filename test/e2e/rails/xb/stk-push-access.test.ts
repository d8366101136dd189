import { setMerchant } from '../../../../src/merchants/merchants';
import { expectClean } from '../../../support/expect-clean';
import { call, stkPush } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { path, push, xbPush } from '../../../support/rails/xb/payments';

/** Access, rate limit and repeats of the endpoint. */
describe('POST /api/v1/xb/stk_push', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'xb');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const promptsOf = async (phone: string) =>
    (await provider.exchanges('initiate')).filter(({ body }) => body.phone_number === phone).length;

  it('never forwards credentials in the body to the provider', async () => {
    const keys = { api_key: merchant.apiKey, api_secret: merchant.apiSecret };
    const answer = await call(
      stack,
      undefined,
      'POST',
      path,
      xbPush({ phone_number: '256702000001', ...keys }),
    );
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await provider.exchanges())).not.toContain(merchant.apiSecret);
  });

  describe('429: one limit for both handset rails', () => {
    /** Too small an amount: the request is counted like any other, and has no other effect. */
    const xb = (by: TestMerchant) => push(stack, by, { amount: 1 });
    const stk = (by: TestMerchant) =>
      call(stack, by, 'POST', '/api/v1/stk_push', stkPush({ amount: '1.00' }));

    it.each([
      ['a Kenyan push', stk, xb],
      ['a cross-border push', xb, stk],
    ])('%s uses the quota of the other rail', async (_which, first, second) => {
      const limited = await stack.createMerchant();
      await setMerchant(
        stack.db,
        limited.merchantId,
        { stkRate: 1, stkBurst: 1 },
        { environment: 'sandbox' },
      );
      expect((await first(limited)).status).toBe(400);
      const refused = await second(limited);
      expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    });
  });

  describe('with an Idempotency-Key', () => {
    const send = (body: Record<string, unknown>, key: string, to = path) =>
      call(stack, merchant, 'POST', to, body, { 'Idempotency-Key': key });

    it('200: repeats the first answer and says so, without a second prompt', async () => {
      const body = xbPush({ phone_number: '256702000010' });
      const [first, again] = [await send(body, 'xb-1'), await send(body, 'xb-1')];
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await promptsOf('256702000010')).toBe(1);
    });

    it('200: our own api_ref is created once for all repeats', async () => {
      const body = { currency: 'UGX', phone_number: '256702000011', amount: 500 };
      const [first, again] = [await send(body, 'xb-2'), await send(body, 'xb-2')];
      expect(again.body.data?.api_ref).toBe(first.body.data?.api_ref);
    });

    it('422: rejects the key with another body, without a prompt', async () => {
      await send(xbPush({ phone_number: '256702000012' }), 'xb-3');
      const answer = await send(xbPush({ phone_number: '256702000013' }), 'xb-3');
      expect([answer.status, answer.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      expect(await promptsOf('256702000013')).toBe(0);
    });

    it('422: rejects a key that a request on the other handset rail has used', async () => {
      await send(stkPush(), 'xb-4', '/api/v1/stk_push');
      expect((await send(xbPush(), 'xb-4')).status).toBe(422);
    });

    it('20 at once create one payment: the others get its answer, or must wait', async () => {
      const body = xbPush({ phone_number: '256702000014' });
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(body, 'xb-5')));
      const paid = answers.filter(({ status }) => status === 200);
      expect(paid.length).toBeGreaterThan(0);
      expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
      expect(new Set(paid.map(({ body: { data } }) => data?.invoice_id)).size).toBe(1);
      expect(await promptsOf('256702000014')).toBe(1);
    });
  });
});
