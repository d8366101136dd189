import { setMerchant } from '../../../src/merchants/merchants';
import { expectClean } from '../../support/expect-clean';
import { call, type ApiAnswer } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { transferBody } from './payment-story';

const anId = '5b1c9d0e-3f5a-4c41-9a57-2d1f0a6f7e11';

interface Place {
  method: 'GET' | 'POST';
  path: string;
  body?: Record<string, unknown>;
}

const everyEndpoint: Place[] = [
  { method: 'POST', path: '/api/v1/momo/deposit', body: transferBody() },
  { method: 'POST', path: '/api/v1/momo/payout', body: transferBody() },
  { method: 'POST', path: '/api/v1/momo/cancel_payout', body: { transaction_id: anId } },
  { method: 'POST', path: '/api/v1/momo/refund', body: { transaction_id: anId } },
  { method: 'GET', path: `/api/v1/momo/status?transaction_id=${anId}` },
  { method: 'GET', path: '/api/v1/momo/providers' },
];

/** The headers and nothing else say who calls: there is no second way in on this rail. */
describe.each(everyEndpoint)('$method $path', ({ method, path, body }) => {
  let stack: Stack;
  let merchant: TestMerchant;
  let other: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack();
    [merchant, other] = await Promise.all([stack.createMerchant(), stack.createMerchant()]);
  });
  afterEach(async () => {
    expect(
      await stack.db('payments').whereIn('merchant_id', [merchant.merchantId, other.merchantId]),
    ).toEqual([]);
  });

  type Keys = Pick<TestMerchant, 'apiKey' | 'apiSecret'>;
  const send = (keys: Keys | undefined, inBody: Record<string, unknown> = {}, headers = {}) =>
    call(stack, keys, method, path, body && { ...body, ...inBody }, headers);
  const told = ({ status, body: answer }: ApiAnswer) => [status, answer.error, answer.code];
  const inBody = ({ apiKey, apiSecret }: Keys) => ({ api_key: apiKey, api_secret: apiSecret });
  const required = [401, 'API credentials required', 'CREDENTIALS_REQUIRED'];
  const wrong = [401, 'Invalid API credentials', 'INVALID_CREDENTIALS'];

  it('401: without credentials, or with one of the two', async () => {
    expect(told(await send(undefined))).toEqual(required);
    expect(told(await send(undefined, {}, { 'X-Api-Key': merchant.apiKey }))).toEqual(required);
    expect(told(await send(undefined, {}, { 'X-Api-Secret': merchant.apiSecret }))).toEqual(required);
  });

  it('401: with the credentials in the body or in the query, or with a merchant_id', async () => {
    expect(told(await send(undefined, inBody(merchant)))).toEqual(required);
    expect(told(await send(undefined, { merchant_id: merchant.merchantId }))).toEqual(required);
    const half = { 'X-Api-Key': merchant.apiKey };
    expect(told(await send(undefined, { api_secret: merchant.apiSecret }, half))).toEqual(required);
    const query = new URLSearchParams(inBody(merchant)).toString();
    const inQuery = `${path}${path.includes('?') ? '&' : '?'}${query}`;
    expect(told(await call(stack, undefined, method, inQuery, body))).toEqual(required);
  });

  it('401: with a wrong secret, the secret of another, or a key of the other environment', async () => {
    expect(told(await send({ ...merchant, apiSecret: 'wrong' }))).toEqual(wrong);
    expect(told(await send({ ...merchant, apiSecret: other.apiSecret }))).toEqual(wrong);
    const live = { ...merchant, apiKey: merchant.apiKey.replace('pk_test_', 'pk_live_') };
    expect(told(await send(live))).toEqual([401, 'API key not found', 'KEY_OF_OTHER_ENVIRONMENT']);
  });

  it('401: answers in the one shape of every error, before the request itself is looked at', async () => {
    const answer = await send({ ...merchant, apiSecret: 'wrong' }, { amount: 'wrong', transaction_id: 7 });
    expect(answer.body).toEqual({
      success: false,
      error: 'Invalid API credentials',
      message: 'Invalid API credentials',
      code: 'INVALID_CREDENTIALS',
      request_id: answer.headers.get('x-request-id'),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    });
  });

  it('403: for a suspended merchant, and from an address that is not on its list', async () => {
    const closed = await stack.createMerchant();
    await setMerchant(stack.db, closed.merchantId, { status: 'suspended' }, { environment: 'sandbox' });
    expect(told(await send(closed))).toEqual([403, 'Account suspended', 'ACCOUNT_SUSPENDED']);
    const listed = await stack.createMerchant();
    const changes = { ipAllow: ['203.0.113.7'] };
    await setMerchant(stack.db, listed.merchantId, changes, { environment: 'sandbox' });
    expect(told(await send(listed))).toEqual([403, 'IP address not whitelisted', 'IP_NOT_ALLOWED']);
  });

  it('405: with another method than its own', async () => {
    const otherMethod = method === 'GET' ? 'POST' : 'GET';
    const answer = await call(stack, merchant, otherMethod, path, otherMethod === 'POST' ? {} : undefined);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, method]);
  });

  it('429: above the merchant’s limit, with the time to wait', async () => {
    const eager = await stack.createMerchant();
    await stack
      .db('merchants')
      .where({ merchant_id: eager.merchantId })
      .update({ api_rate: 1, api_burst: 1 });
    await send({ ...eager });
    const answer = await send({ ...eager });
    expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

let running: Promise<Stack> | undefined;
function sharedStack(): Promise<Stack> {
  return (running ??= startStack({ timeScale: 20 }));
}
afterAll(async () => {
  const stack = await sharedStack();
  await expectClean({ db: stack.db, env: stack.env });
  await stack.stop();
});
