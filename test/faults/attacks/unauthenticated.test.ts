/** Callers without keys at a high rate, against the running product. */
import { randomBytes } from 'node:crypto';
import { Agent } from 'undici';
import { request } from '../../support/described-request';
import { call, stkPush } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

describe('a flood without keys', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  const agents: Agent[] = [];
  beforeAll(async () => {
    stack = await startStack({
      timeScale: 20,
      env: { MALIPO_KEYLESS_ORDERS: '6', MALIPO_KEYLESS_ORDERS_OF_ALL: '120' },
    });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.close()));
    await stack.stop();
  });

  /** Calls from one of this machine's many addresses. */
  function unknownCaller(localAddress: string) {
    const agent = new Agent({ localAddress, connections: 8 });
    agents.push(agent);
    return async (path: string, body: object, headers: Record<string, string> = {}) => {
      const answer = await request(`${stack.apiUrl}${path}`, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return answer.statusCode;
    };
  }
  const order = (changes: object = {}) => ({
    merchant_id: merchant.merchantId,
    order_id: randomBytes(6).toString('hex'),
    amount: '10.00',
    currency: 'KES',
    description: 'flood',
    phone_number: '254700000000',
    email_address: 'nobody@example.com',
    first_name: 'No',
    last_name: 'Body',
    ...changes,
  });
  const countOf = (statuses: number[], wanted: number) =>
    statuses.filter((status) => status === wanted).length;
  const times = (count: number) => Array.from({ length: count }, (_, n) => n);
  const bucketsLike = (pattern: string) => stack.db('rate_limit_buckets').where('bucket', 'like', pattern);

  it('of invalid orders spends nothing of the named merchant’s limit', async () => {
    const send = unknownCaller('127.0.2.1');
    const statuses = await Promise.all(
      times(60).map(() => send('/api/v2/initiate.php', order({ amount: 'x' }))),
    );
    expect(countOf(statuses, 400)).toBe(60);
    expect(await bucketsLike('%')).toEqual([]);
  });

  it('of orders is limited by address, then queued, and each call with keys is accepted', async () => {
    const own = unknownCaller('127.0.2.2');
    const first = await Promise.all(times(40).map(() => own('/api/v2/initiate.php', order())));
    // Ten were processed, one after another. An order that would wait too long gets a time for the next attempt.
    expect(countOf(first, 200)).toBeGreaterThan(0);
    expect(countOf(first, 200) + countOf(first, 503)).toBeLessThanOrEqual(10);
    expect(countOf(first, 200) + countOf(first, 503) + countOf(first, 429)).toBe(40);

    const others = times(30).map((n) => unknownCaller(`127.0.3.${n + 1}`));
    const flood = Promise.all(others.map((send) => send('/api/v2/initiate.php', order())));
    const keyed = times(15).map(() => call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush()));
    expect((await Promise.all(keyed)).map(({ status }) => status)).toEqual(times(15).map(() => 200));
    // Two per second are the share of all, and none waits longer than three seconds.
    const statuses = await flood;
    expect(countOf(statuses, 429)).toBeGreaterThan(0);
    expect(countOf(statuses, 200) + countOf(statuses, 429) + countOf(statuses, 503)).toBe(30);
    const headers = { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret };
    expect(await own('/api/v2/initiate.php', order(), headers)).toBe(200);
    // The unauthenticated calls were counted separately from the merchant's.
    expect(await bucketsLike(`named:${merchant.merchantId}`)).toMatchObject([{ spent: expect.any(String) }]);
    expect(await bucketsLike(`api:${merchant.merchantId}`)).toMatchObject([{ spent: '1' }]);
  });

  it('of wrong keys and forged callbacks is rejected by address, and each call with keys is accepted', async () => {
    const send = unknownCaller('127.0.2.4');
    const wrongKey = () =>
      send('/api/v1/stk_push', stkPush(), {
        'x-api-key': `pk_test_${randomBytes(12).toString('hex')}`,
        'x-api-secret': 'sk_test_wrong',
      });
    const statuses = await Promise.all(times(150).map(wrongKey));
    expect(countOf(statuses, 401)).toBeGreaterThanOrEqual(100);
    expect(countOf(statuses, 429)).toBeGreaterThan(0);
    // Even from the same address, and although this merchant never called its process before.
    const other = await stack.createMerchant('Other');
    const headers = { 'x-api-key': other.apiKey, 'x-api-secret': other.apiSecret };
    expect(await send('/api/v1/stk_push', stkPush(), headers)).toBe(200);

    const forged = () => send(`/in/stk/${randomBytes(16).toString('hex')}`, {});
    const forgedStatuses: number[] = [];
    for (let n = 0; n < 14; n += 1) forgedStatuses.push(...(await Promise.all(times(100).map(forged))));
    expect(countOf(forgedStatuses, 404)).toBeGreaterThanOrEqual(1_000);
    expect(countOf(forgedStatuses, 429)).toBeGreaterThan(0);
    expect(await send('/api/v1/stk_push', stkPush(), headers)).toBe(200);
    expect(await bucketsLike('address:127.0.2.4')).toEqual([]);
  });
});
