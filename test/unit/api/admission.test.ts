import { PaymentError } from '../../../src/domain/errors';
import type { Limit } from '../../../src/merchants/rate-limit';
import { credentials, echo, errorOf, lookUp, merchant, serve, type Served } from '../../support/api/serve';

describe('the admission of a call', () => {
  let api: Served;
  const addresses: string[] = [];
  beforeAll(async () => {
    api = await serve({
      endpoints: [
        echo,
        lookUp,
        {
          ...echo,
          path: '/api/v1/wordy',
          translateError: (error) =>
            error.code === 'CREDENTIALS_REQUIRED' ? new PaymentError('CREDENTIALS_MISSING') : error,
        },
      ],
      config: { environment: 'sandbox', publicUrl: '', timezone: 'UTC', trustedProxies: ['127.0.0.1'] },
      authenticate({ apiKey, apiSecret }, clientAddress) {
        addresses.push(clientAddress);
        if (apiKey === 'pk_test_1' && apiSecret === 'sk_test_1') return Promise.resolve(merchant);
        return Promise.reject(new PaymentError('INVALID_CREDENTIALS'));
      },
    });
  });
  afterAll(() => api.close());

  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/api/v1/echo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('identifies a merchant by its headers', async () => {
    expect((await post({}, credentials)).status).toBe(200);
  });

  it('identifies a merchant by the body, if the endpoint allows it', async () => {
    expect((await post({ api_key: 'pk_test_1', api_secret: 'sk_test_1' })).status).toBe(200);
  });

  it('accepts no credentials from a query', async () => {
    const response = await fetch(`${api.url}/api/v1/look_up?id=1&api_key=pk_test_1&api_secret=sk_test_1`);
    expect([response.status, (await errorOf(response)).error]).toEqual([401, 'API credentials required']);
  });

  it.each([0, true, [], {}, ['sk_test_1']])('rejects the secret %j', async (secret) => {
    expect((await post({ api_key: 'pk_test_1', api_secret: secret })).status).toBe(401);
  });

  it('rejects a repeated header', async () => {
    const response = await fetch(`${api.url}/api/v1/look_up?id=1`, {
      headers: [
        ['X-API-Key', 'pk_test_1'],
        ['X-API-Secret', 'sk_test_1'],
        ['X-API-Secret', 'sk_test_1'],
      ],
    });
    expect(response.status).toBe(401);
  });

  it('authenticates the caller before it reports faults of the fields', async () => {
    const response = await post({ amount: 'nonsense', api_key: 'pk_test_1', api_secret: 'wrong' });
    expect([response.status, (await errorOf(response)).code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  describe('runs before the body is checked', () => {
    const send = (path: string, headers: Record<string, string>, body = '{broken') =>
      fetch(api.url + path, { method: 'POST', headers, body });
    const codeOf = async (response: Response) => [response.status, (await errorOf(response)).code];
    const json = { 'Content-Type': 'application/json' };
    const none = [401, 'CREDENTIALS_REQUIRED'];

    it('rejects a caller without keys before it reports faults of the body', async () => {
      expect(await codeOf(await send('/api/v1/echo', { 'Content-Type': 'text/plain' }))).toEqual(none);
      expect(await codeOf(await send('/api/v1/echo', json))).toEqual(none);
      expect(await codeOf(await send('/api/v1/echo', json, ''))).toEqual(none);
      expect(await codeOf(await send('/api/v1/echo', json, `"${'x'.repeat(70_000)}"`))).toEqual(none);
      expect(await codeOf(await send('/api/v1/echo?a=1&a=2', json, '{}'))).toEqual(none);
      expect(await codeOf(await fetch(`${api.url}/api/v1/look_up?id=1&id=2`))).toEqual(none);
    });

    it("uses the endpoint's own error, if there is one", async () => {
      expect(await codeOf(await send('/api/v1/wordy', json))).toEqual([400, 'CREDENTIALS_MISSING']);
    });

    it('rejects a caller with wrong keys before it reports faults of the body', async () => {
      const wrong = { ...credentials, 'X-API-Secret': 'sk_test_2' };
      expect(await codeOf(await send('/api/v1/echo', { ...json, ...wrong }))).toEqual([
        401,
        'INVALID_CREDENTIALS',
      ]);
    });

    it('reports faults of the body to a caller with valid keys', async () => {
      expect(await codeOf(await send('/api/v1/echo', { ...json, ...credentials }))).toEqual([
        400,
        'INVALID_JSON',
      ]);
      expect(
        await codeOf(await send('/api/v1/echo', { 'Content-Type': 'text/plain', ...credentials })),
      ).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    });

    it('rejects a body that differs from the headers', async () => {
      const response = await send('/api/v1/echo', { ...json, ...credentials }, '{"api_secret":"other"}');
      expect(await codeOf(response)).toEqual([401, 'INVALID_CREDENTIALS']);
    });
  });

  it("trusts a trusted proxy about the caller's address", async () => {
    await post({}, { ...credentials, 'X-Forwarded-For': '10.0.0.1, 41.90.64.7' });
    expect(addresses.at(-1)).toBe('41.90.64.7');
  });
});

describe('the rate limit of a merchant', () => {
  it("answers 429 with the time to wait, before any work, from the endpoint's bucket", async () => {
    const limits: Limit[] = [];
    let handled = 0;
    const handle = () => {
      handled += 1;
      return Promise.resolve({ status: 200, body: {} });
    };
    const api = await serve({
      endpoints: [{ ...lookUp, handle }],
      takeToken(limit) {
        limits.push(limit);
        return Promise.resolve({ allowed: false, retryAfterSeconds: 7 });
      },
    });
    const response = await api.get('/api/v1/look_up?id=1');
    await api.close();
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    expect(handled).toBe(0);
    expect(limits).toEqual([{ bucket: `api:${merchant.merchant_id}`, ratePerMinute: 600, burst: 1000 }]);
  });

  it('is reported with each answer, errors included', async () => {
    const api = await serve({
      takeToken: ({ burst }) => {
        const quota = { limit: burst, remaining: 7, resetSeconds: 61 };
        return Promise.resolve({ allowed: true, quota });
      },
    });
    const answers = [
      await api.get('/api/v1/look_up?id=1'),
      await api.get('/api/v1/look_up'),
      await api.post('/api/v1/echo', {}),
      // Calls of unknown callers are not counted.
      await api.get('/api/v1/look_up?id=1', { 'X-API-Secret': 'wrong' }),
    ];
    await api.close();
    const reported = answers.map(({ status, headers }) => [
      status,
      ...['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`)),
    ]);
    expect(reported).toEqual([
      [200, '1000', '7', '61'],
      [400, '1000', '7', '61'],
      [200, '100', '7', '61'],
      [401, null, null, null],
    ]);
  });

  it('has a separate bucket for handset prompts', async () => {
    const limits: Limit[] = [];
    const api = await serve({
      takeToken(limit) {
        limits.push(limit);
        return Promise.resolve({ allowed: true });
      },
    });
    await api.post('/api/v1/echo', {});
    await api.close();
    expect(limits).toEqual([{ bucket: `stk:${merchant.merchant_id}`, ratePerMinute: 60, burst: 100 }]);
  });

  it('is not counted for an unknown caller', async () => {
    let counted = 0;
    const api = await serve({
      takeToken() {
        counted += 1;
        return Promise.resolve({ allowed: true });
      },
    });
    await api.get('/api/v1/look_up?id=1', { 'X-API-Secret': 'wrong' });
    await api.close();
    expect(counted).toBe(0);
  });
});
