/** What every endpoint that is called with keys answers to whoever has none, or wrong ones, on every rail. */
import { setMerchant } from '../../../src/merchants/merchants';
import { call, type ApiAnswer } from '../../support/merchant-client';
import type { Stack, TestMerchant } from '../../support/stack';
import { asOurs } from '../../support/own-rows';

export interface Place {
  method: 'GET' | 'POST';
  path: string;
  body?: Record<string, unknown>;
}

/** A stack that has begun by the time anything is asked of it, and two of its merchants. */
interface Stage {
  stack: Stack;
  merchant: TestMerchant;
  other: TestMerchant;
}

type Keys = Pick<TestMerchant, 'apiKey' | 'apiSecret'>;

export const told = ({ status, body: answer }: ApiAnswer) => [status, answer.error, answer.code];
export const inBody = ({ apiKey, apiSecret }: Keys) => ({ api_key: apiKey, api_secret: apiSecret });
export const wrong = [401, 'Invalid API credentials', 'INVALID_CREDENTIALS'];

/** @returns how a call is sent there with these keys in its headers, or none. */
export function callerOf({ method, path, body }: Place, stage: () => Pick<Stage, 'stack'>) {
  return (keys: Keys | undefined, more: Record<string, unknown> = {}, headers = {}): Promise<ApiAnswer> =>
    call(stage().stack, keys, method, path, body && { ...body, ...more }, headers);
}

/** The same call without keys in its headers, and with those of the merchant in its query. */
export function withKeysInQuery(
  { method, path, body }: Place,
  { stack, merchant }: Stage,
): Promise<ApiAnswer> {
  const query = new URLSearchParams(inBody(merchant)).toString();
  return call(stack, undefined, method, `${path}${path.includes('?') ? '&' : '?'}${query}`, body);
}

/** The promises that no rail makes in words of its own. None of them leaves a payment behind. */
export function itKnowsItsCallers(place: Place, stage: () => Stage): void {
  const { method, path } = place;
  const send = callerOf(place, stage);

  afterEach(async () => {
    const { stack, merchant, other } = stage();
    const ids = [merchant.merchantId, other.merchantId];
    expect(await stack.db('payments').whereIn('merchant_id', ids)).toEqual([]);
  });

  it('401: with a wrong secret, the secret of another, or a key of the other environment', async () => {
    const { merchant, other } = stage();
    expect(told(await send({ ...merchant, apiSecret: 'wrong' }))).toEqual(wrong);
    expect(told(await send({ ...merchant, apiSecret: other.apiSecret }))).toEqual(wrong);
    const live = { ...merchant, apiKey: merchant.apiKey.replace('pk_test_', 'pk_live_') };
    expect(told(await send(live))).toEqual([401, 'API key not found', 'KEY_OF_OTHER_ENVIRONMENT']);
  });

  it('401: answers in the one shape of every error, before the request itself is looked at', async () => {
    const faulty = { amount: 'wrong', transaction_id: 7, order_id: 7 };
    const answer = await send({ ...stage().merchant, apiSecret: 'wrong' }, faulty);
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

  it('403: for a suspended merchant, and from an address that is not on its list', async () => {
    const { stack } = stage();
    const closed = await stack.createMerchant();
    await setMerchant(stack.db, closed.merchantId, { status: 'suspended' }, { environment: 'sandbox' });
    expect(told(await send(closed))).toEqual([403, 'Account suspended', 'ACCOUNT_SUSPENDED']);
    const listed = await stack.createMerchant();
    const changes = { ipAllow: ['203.0.113.7'] };
    await setMerchant(stack.db, listed.merchantId, changes, { environment: 'sandbox' });
    expect(told(await send(listed))).toEqual([403, 'IP address not whitelisted', 'IP_NOT_ALLOWED']);
  });

  it('405: with another method than its own', async () => {
    const { stack, merchant } = stage();
    const otherMethod = method === 'GET' ? 'POST' : 'GET';
    const answer = await call(stack, merchant, otherMethod, path, otherMethod === 'POST' ? {} : undefined);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, method]);
  });

  it('429: above the merchant’s limit, with the time to wait', async () => {
    const { stack } = stage();
    const eager = await stack.createMerchant();
    await stack
      .db('merchants')
      .where({ merchant_id: eager.merchantId })
      .update({ api_rate: 1, api_burst: 1 });
    await asOurs(stack.db, 'merchants', eager.merchantId);
    await send({ ...eager });
    const answer = await send({ ...eager });
    expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
}
