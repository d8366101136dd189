import { createMerchant, setMerchant, type MerchantInput } from '../../../../src/merchants/merchants';
import { rotateKey } from '../../../../src/merchants/own-keys';
import { secretBox } from '../../../../src/merchants/secrets';
import { expectClean } from '../../../support/expect-clean';
import { call, stkPush, type ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';

const environment = 'sandbox';

describe('POST /api/v1/stk_push', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let other: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20, env: { MALIPO_TRUSTED_PROXIES: '127.0.0.1' } });
    merchant = await stack.createMerchant();
    other = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  type Keys = Pick<TestMerchant, 'apiKey' | 'apiSecret'>;
  const send = (
    keys: Keys | undefined,
    body: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) => call(stack, keys, 'POST', '/api/v1/stk_push', stkPush(body), headers);
  const told = ({ status, body }: ApiAnswer) => [status, body.error, body.message];
  const keysInBody = ({ apiKey, apiSecret }: Keys) => ({ api_key: apiKey, api_secret: apiSecret });
  const required = [401, 'API credentials required', 'API credentials required'];
  const wrong = [401, 'Invalid API credentials', 'Invalid API credentials'];

  describe('200', () => {
    it('takes the credentials from the headers, in any spelling', async () => {
      const headers = { 'X-API-KEY': merchant.apiKey, 'x-api-secret': merchant.apiSecret };
      expect((await send(undefined, {}, headers)).status).toBe(200);
    });

    it('takes them from the body', async () => {
      expect((await send(undefined, keysInBody(merchant))).status).toBe(200);
    });

    it('takes one from each, and both from both when they agree', async () => {
      const half = await send(
        undefined,
        { api_secret: merchant.apiSecret },
        { 'X-API-Key': merchant.apiKey },
      );
      expect(half.status).toBe(200);
      expect((await send(merchant, keysInBody(merchant))).status).toBe(200);
    });

    it('takes the key before the last while merchants change over to the last', async () => {
      const rotated = await stack.createMerchant();
      const { api_key, api_secret } = await rotateKey(stack.db, rotated.merchantId, { environment });
      expect((await send(rotated)).status).toBe(200);
      expect((await send({ apiKey: api_key, apiSecret: api_secret })).status).toBe(200);
    });
  });

  describe('401', () => {
    it.each([
      ['both', () => send(undefined)],
      ['the secret', () => send(undefined, {}, { 'X-API-Key': merchant.apiKey })],
      ['the key', () => send(undefined, { api_secret: merchant.apiSecret })],
      ['anything in them', () => send(undefined, {}, { 'X-API-Key': '', 'X-API-Secret': '' })],
    ])('says "API credentials required" without %s', async (_missing, attempt) => {
      expect(told(await attempt())).toEqual(required);
    });

    it.each([
      ['a wrong secret', () => send({ ...merchant, apiSecret: other.apiSecret })],
      ['a key nobody has', () => send({ ...merchant, apiKey: `pk_test_${'a'.repeat(32)}` })],
      ['a key of no shape', () => send({ ...merchant, apiKey: "' OR 1=1 --" })],
      ['a secret in another case', () => send({ ...merchant, apiSecret: merchant.apiSecret.toUpperCase() })],
      ['headers and body that disagree', () => send(merchant, keysInBody(other))],
      ['a secret in the body that disagrees', () => send(merchant, { api_secret: other.apiSecret })],
    ])('says "Invalid API credentials" to %s', async (_what, attempt) => {
      expect(told(await attempt())).toEqual(wrong);
    });

    it.each([0, 1, true, [], {}, [['x']], { length: 5 }])('lets the secret %j in nowhere', async (secret) => {
      expect(told(await send(undefined, { api_key: merchant.apiKey, api_secret: secret }))).toEqual(wrong);
      expect((await send(undefined, { api_key: secret, api_secret: merchant.apiSecret })).status).toBe(401);
    });

    it('says "API key not found" to a key of the other environment', async () => {
      const live = { apiKey: merchant.apiKey.replace('pk_test_', 'pk_live_'), apiSecret: merchant.apiSecret };
      expect(told(await send(live))).toEqual([401, 'API key not found', 'API key not found']);
    });

    it('refuses a key that was rotated away', async () => {
      const rotated = await stack.createMerchant();
      await rotateKey(stack.db, rotated.merchantId, { environment });
      await rotateKey(stack.db, rotated.merchantId, { environment });
      expect(told(await send(rotated))).toEqual(wrong);
    });

    it('answers before the body is looked at, in the one shape of every error', async () => {
      const answer = await send({ ...merchant, apiSecret: 'wrong' }, { amount: 'wrong' });
      expect(answer.body).toEqual({
        success: false,
        error: 'Invalid API credentials',
        message: 'Invalid API credentials',
        code: 'INVALID_CREDENTIALS',
        request_id: answer.headers.get('x-request-id'),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    });
  });

  describe('403', () => {
    /** A merchant with these settings. */
    async function merchantWith(changes: MerchantInput): Promise<TestMerchant> {
      const created = await stack.createMerchant();
      await setMerchant(stack.db, created.merchantId, changes, { environment });
      return created;
    }
    const suspended = [403, 'Account suspended', 'Account suspended'];
    const notListed = [403, 'IP address not whitelisted', 'IP address not whitelisted'];

    it.each(['suspended', 'inactive'])(
      'says "Account suspended" to a merchant that is %s',
      async (status) => {
        expect(told(await send(await merchantWith({ status })))).toEqual(suspended);
      },
    );

    it('says "IP address not whitelisted" to a caller from elsewhere', async () => {
      const listed = await merchantWith({ ipAllow: ['203.0.113.7', '198.51.100.0/24', '2001:db8::/32'] });
      expect(told(await send(listed))).toEqual(notListed);
      expect(told(await send(listed, {}, { 'X-Forwarded-For': '203.0.113.8' }))).toEqual(notListed);
    });

    it.each(['203.0.113.7', '198.51.100.200', '2001:db8::1', '::ffff:203.0.113.7'])(
      'lets %s in, which is listed',
      async (address) => {
        const listed = await merchantWith({ ipAllow: ['203.0.113.7', '198.51.100.0/24', '2001:db8::/32'] });
        expect((await send(listed, {}, { 'X-Forwarded-For': address })).status).toBe(200);
      },
    );

    it('believes only the address that our own proxy has seen', async () => {
      const listed = await merchantWith({ ipAllow: ['203.0.113.7'] });
      const forged = { 'X-Forwarded-For': '203.0.113.7, 192.0.2.1' };
      expect(told(await send(listed, {}, forged))).toEqual(notListed);
    });

    it('tells none of this before the secret is proven', async () => {
      for (const changes of [{ status: 'suspended' }, { ipAllow: ['203.0.113.7'] }]) {
        const closed = await merchantWith(changes);
        expect(told(await send({ ...closed, apiSecret: other.apiSecret }))).toEqual(wrong);
      }
    });

    it('does not tell a caller from elsewhere that the account is suspended', async () => {
      expect(told(await send(await merchantWith({ status: 'suspended', ipAllow: ['203.0.113.7'] })))).toEqual(
        notListed,
      );
    });
  });

  it('never lets one merchant act with the key of another', async () => {
    const box = secretBox([{ id: 'x', key: Buffer.alloc(32, 1) }]);
    const third = await createMerchant(stack.db, box, { name: 'Third', environment });
    expect(told(await send({ apiKey: merchant.apiKey, apiSecret: third.api_secret }))).toEqual(wrong);
    expect(told(await send({ apiKey: third.api_key, apiSecret: merchant.apiSecret }))).toEqual(wrong);
  });
});
