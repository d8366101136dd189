import Joi from 'joi';
import { createUnauthenticatedLimits } from '../../../src/api/limits/unauthenticated';
import type { Limit, RateLimitDecision } from '../../../src/merchants/rate-limit';
import type { Endpoint, OpenEndpoint } from '../../../src/rail-kit/endpoint';
import { requiredText } from '../../../src/rail-kit/fields';
import { credentials, errorOf, merchant, serve, type Served } from '../../support/api/serve';
import { anEndpoint } from '../../support/undescribed';

const named: Endpoint = {
  method: 'POST',
  path: '/api/v2/named',
  about: anEndpoint,
  access: 'merchant_id',
  scope: 'collect',
  rateLimit: 'api',
  starts: true,
  input: Joi.object({ merchant_id: requiredText(36), order_id: requiredText(50) }),
  handle: (call) => Promise.resolve({ status: 200, body: { name: call.merchant.name } }),
};
const open: OpenEndpoint = {
  method: 'POST',
  path: '/api/open',
  about: anEndpoint,
  access: 'anyone',
  input: Joi.object({ id: requiredText(36) }),
  handle: ({ input }) => Promise.resolve({ status: 200, body: { id: input['id'] } }),
};

describe('an endpoint without keys', () => {
  let api: Served;
  let limits: Limit[];
  let isExhausted: (limit: Limit) => boolean;
  beforeAll(async () => {
    const take = (limit: Limit): Promise<RateLimitDecision> => {
      limits.push(limit);
      return Promise.resolve(
        isExhausted(limit) ? { allowed: false, retryAfterSeconds: 7 } : { allowed: true },
      );
    };
    api = await serve({ endpoints: [named, open], takeToken: take, takeUnauthenticatedToken: take });
  });
  beforeEach(() => {
    limits = [];
    isExhausted = () => false;
  });
  afterAll(() => api.close());

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(api.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const own = { merchant_id: merchant.merchant_id, order_id: '1' };

  describe("that gets the merchant's id", () => {
    it('finds the merchant by it', async () => {
      const response = await post(named.path, own);
      expect([response.status, await response.json()]).toEqual([200, { name: merchant.name }]);
    });

    it("is limited by the caller's address and by the merchant", async () => {
      await post(named.path, own);
      expect(limits.map(({ bucket }) => bucket)).toEqual([
        'address:127.0.0.1',
        `named:${merchant.merchant_id}`,
      ]);
    });

    it.each(['address:127.0.0.1', `named:${merchant.merchant_id}`])(
      'rejects a caller above the limit of %s',
      async (bucket) => {
        isExhausted = (limit) => limit.bucket === bucket;
        const response = await post(named.path, own);
        expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
      },
    );

    it('rejects an id of no active merchant', async () => {
      const response = await post(named.path, { ...own, merchant_id: 'somebody' });
      expect([response.status, (await errorOf(response)).error]).toEqual([
        403,
        'Invalid or inactive merchant',
      ]);
    });

    it.each([{}, { merchant_id: 1 }, { merchant_id: null }])('reports all faults of %j', async (body) => {
      const response = await post(named.path, body);
      const { details } = await errorOf(response);
      expect([response.status, details?.map(({ field }) => field)]).toEqual([
        400,
        ['merchant_id', 'order_id'],
      ]);
    });

    it('accepts valid keys, and rejects wrong ones', async () => {
      expect((await post(named.path, own, credentials)).status).toBe(200);
      expect((await post(named.path, own, { ...credentials, 'X-API-Secret': 'sk_test_2' })).status).toBe(401);
      expect((await post(named.path, own, { 'X-API-Key': 'pk_test_1' })).status).toBe(401);
    });
  });

  describe('that anyone may call', () => {
    it("answers, and is limited by the caller's address, only in memory", async () => {
      const unauthenticated = createUnauthenticatedLimits({ ordersPerMinute: 60, allOrdersPerMinute: 300 });
      const own = await serve({ endpoints: [open], unauthenticatedCaller: unauthenticated });
      const ask = () =>
        fetch(own.url + open.path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"id":"x"}',
        });
      expect(await (await ask()).json()).toEqual({ id: 'x' });
      // So many calls that only ten more fit into this minute.
      for (let n = 0; n < 989; n += 1) unauthenticated.admitCall('127.0.0.1');
      const statuses = (await Promise.all(Array.from({ length: 15 }, ask))).map(({ status }) => status);
      await own.close();
      expect(statuses.sort()).toEqual([...Array<number>(10).fill(200), ...Array<number>(5).fill(429)]);
      expect(limits).toEqual([]);
    });

    it('rejects a body with faults', async () => {
      expect((await post(open.path, {})).status).toBe(400);
    });
  });
});
