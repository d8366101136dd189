import { PaymentError, errorResponses, type ErrorCode } from '../../../src/domain/errors';
import { createMetrics } from '../../../src/telemetry/metrics';
import {
  credentials,
  echo,
  errorOf,
  lookUp,
  raw,
  serve,
  silentLog,
  type Served,
} from '../../support/api/serve';

const failing = (error: () => unknown) => ({
  ...lookUp,
  handle: async () => {
    throw error();
  },
});

async function served<T>(
  services: Parameters<typeof serve>[0],
  use: (api: Served) => Promise<T>,
): Promise<T> {
  const api = await serve(services);
  try {
    return await use(api);
  } finally {
    await api.close();
  }
}

const lookupWith = (error: () => unknown) =>
  served({ endpoints: [failing(error)] }, (api) => api.get('/api/v1/look_up?id=1'));

describe('every answer', () => {
  let api: Served;
  const metrics = createMetrics();
  beforeAll(async () => {
    api = await serve({ metrics });
  });
  afterAll(() => api.close());

  it('is never cached, framed or sniffed', async () => {
    const { headers } = await api.get('/api/v1/look_up?id=1');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('etag')).toBeNull();
  });

  it('has the request id of a caller who sent a valid one', async () => {
    const response = await api.post('/api/v1/echo', {}, { 'X-Request-Id': 'order-42_retry.1' });
    expect(response.headers.get('x-request-id')).toBe('order-42_retry.1');
    expect(await response.json()).toMatchObject({ request_id: 'order-42_retry.1' });
  });

  it.each([
    '018f0000-0000-7000-8000-254708374149',
    '4bf92f3577b34da6a3254708374149ce',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa02547083-01',
  ])('has the id %s, whose digits are not a phone number', async (id) => {
    const response = await api.get('/api/v1/look_up?id=1', { 'X-Request-Id': id });
    expect(response.headers.get('x-request-id')).toBe(id);
  });

  it.each([
    'short',
    'x'.repeat(81),
    'has space',
    '{"forged":1}',
    'läuft-nicht',
    '254712345678',
    'order-0712345678',
    'retry_4111-1111-1111-1111',
    '4111111111111111',
  ])('has an id of the service instead of %s', async (id) => {
    const response = await api.get('/api/v1/look_up?id=1', { 'X-Request-Id': id });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  });

  it('keeps the ids of two concurrent requests apart', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `request-${String(n)}`);
    const answers = await Promise.all(ids.map((id) => api.post('/api/v1/echo', {}, { 'X-Request-Id': id })));
    const reported = await Promise.all(
      answers.map(async (answer) => (await answer.json()) as { request_id: string }),
    );
    expect(reported.map((body) => body.request_id)).toEqual(ids);
  });

  it('is counted under its declared path, whatever path was called', async () => {
    await api.get('/api/v1/look_up?id=254708374149');
    await api.get('/api/v1/nothing/254708374149');
    const text = await metrics.expose();
    expect(text).toMatch(/malipo_http_requests_total\{route="\/api\/v1\/look_up",status="200"\} \d/);
    expect(text).toMatch(/malipo_http_requests_total\{route="unknown",status="404"\} 1/);
    expect(text).not.toContain('254708374149');
  });
});

describe('an error', () => {
  it('has one shape, with its sentence in both fields', async () => {
    const response = await lookupWith(
      () => new PaymentError('PAYMENT_NOT_FOUND', { detail: 'belongs to somebody else' }),
    );
    const body = await errorOf(response);
    expect(response.status).toBe(404);
    expect(body).toEqual({
      success: false,
      error: 'Payment not found',
      message: 'Payment not found',
      code: 'PAYMENT_NOT_FOUND',
      request_id: response.headers.get('x-request-id'),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
  });

  it('has the time of the configured zone', async () => {
    const { timestamp } = await errorOf(await lookupWith(() => new PaymentError('NOT_FOUND')));
    const inNairobi = Date.parse(`${timestamp.replace(' ', 'T')}+03:00`);
    expect(Math.abs(Date.now() - inNairobi)).toBeLessThan(5_000);
  });

  it("contains the public fields, and none of them overwrites the error's own", async () => {
    const extra = { payment_id: 'p1', success: 'true', code: 'FORGED' };
    const body = await errorOf(await lookupWith(() => new PaymentError('DUPLICATE_PAYMENT', { extra })));
    expect(body).toMatchObject({ payment_id: 'p1', success: false, code: 'DUPLICATE_PAYMENT' });
  });

  it.each(Object.keys(errorResponses) as ErrorCode[])('%s has the status in the list', async (code) => {
    expect((await lookupWith(() => new PaymentError(code))).status).toBe(errorResponses[code].status);
  });

  it('contains the retry time', async () => {
    const reported = await lookupWith(() => new PaymentError('RATE_LIMITED', { retryAfterSeconds: 2.2 }));
    expect(reported.headers.get('retry-after')).toBe('3');
    const unreported = await lookupWith(() => new PaymentError('PROVIDER_UNAVAILABLE'));
    expect(unreported.headers.get('retry-after')).toBe('5');
  });

  it.each([
    ['an error', () => new Error('SELECT secret FROM api_keys')],
    ['a text', () => 'SELECT secret FROM api_keys'],
    ['an error of the database', () => Object.assign(new Error('SELECT secret'), { errno: 1064 })],
  ])('that is unexpected (%s) is 500, and its details go only to the log', async (_, error) => {
    const lines: [string, unknown][] = [];
    const log = { ...silentLog, error: (message: string, fields?: object) => lines.push([message, fields]) };
    const response = await served({ endpoints: [failing(error)], log }, (api) =>
      api.get('/api/v1/look_up?id=1'),
    );
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).toContain('INTERNAL_ERROR');
    expect(text).not.toContain('SELECT');
    expect(lines).toEqual([
      [errorResponses.INTERNAL_ERROR.message, expect.objectContaining({ cause: error() })],
    ]);
  });

  it.each([
    ['refuses connections', { code: 'ECONNREFUSED' }],
    ['is read-only', { errno: 1290 }],
    ['has no free connection', { name: 'KnexTimeoutError' }],
  ])('of a database that %s is 503', async (_, fault) => {
    const response = await lookupWith(() => Object.assign(new Error('database'), fault));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await errorOf(response)).code).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('the address of a request', () => {
  let api: Served;
  beforeAll(async () => {
    api = await serve();
  });
  afterAll(() => api.close());

  it.each(['/', '/api/v1/nothing', '/api/v1/echo/more', '/API/V1/ECHO', '/api/v1/%ff', '/api/v1/echo%00'])(
    '%s is unknown: 404',
    async (path) => {
      const response = await api.get(path);
      expect([response.status, (await errorOf(response)).code]).toEqual([404, 'NOT_FOUND']);
    },
  );

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is known but not for %s: 405', async (method) => {
    const response = await fetch(`${api.url}/api/v1/echo`, { method, headers: credentials });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect((await errorOf(response)).error).toBe('Method not allowed. Use POST request');
  });

  it('gets an answer even when the request has an unwanted body', async () => {
    const body = 'x'.repeat(500_000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${api.url}/api/v1/nothing`, { method: 'POST', body })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array<number>(20).fill(404));
  });

  it('answers HEAD with 405 and no body, since a GET may capture a payment', async () => {
    const response = await fetch(`${api.url}/api/v1/look_up?id=1`, { method: 'HEAD', headers: credentials });
    expect([response.status, response.headers.get('allow'), await response.text()]).toEqual([405, 'GET', '']);
  });

  it('does not echo a TRACE', async () => {
    const answer = await raw(
      api.port,
      'TRACE /api/v1/echo HTTP/1.1\r\nHost: a\r\nX-Api-Secret: sk_test_canary\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).not.toContain('canary');
  });

  it("answers an Expect header in the service's own format", async () => {
    const answer = await raw(
      api.port,
      'GET /nowhere HTTP/1.1\r\nHost: a\r\nExpect: a-canary\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('"code":"NOT_FOUND"');
    expect(answer).not.toContain('canary');
  });

  it('ignores headers that would override the method', async () => {
    const response = await api.get('/api/v1/look_up?id=1', { 'X-HTTP-Method-Override': 'POST' });
    expect(response.status).toBe(200);
  });

  it.each([
    ['a parameter twice', 'id=1&id=2'],
    ['the same parameter with the same value', 'id=1&id=1'],
    ['a parameter twice, once escaped', 'id=1&%69d=2'],
    ['__proto__', 'id=1&__proto__=2'],
    ['a broken escape', 'id=%zz'],
    ['bytes that are no UTF-8', 'id=%ff'],
  ])('with %s in its query is 400', async (_, query) => {
    const response = await api.get(`/api/v1/look_up?${query}`);
    expect([response.status, (await errorOf(response)).code]).toEqual([400, 'INVALID_QUERY']);
  });

  it('does not repeat the name of a parameter that occurs twice: the caller chose it', async () => {
    const name = 'secret'.repeat(1_150);
    const response = await api.get(`/api/v1/look_up?${name}=1&${name}=1`);
    const body = await response.text();
    expect(response.status).toBe(400);
    expect(body).not.toContain('secret');
    expect(body.length).toBeLessThan(500);
  });

  it('reads a bracketed list as an unknown parameter, never as a list', async () => {
    const response = await api.get('/api/v1/look_up?id[]=1&id[]=1');
    expect(response.status).toBe(400);
    expect((await api.get('/api/v1/look_up?id[a]=1')).status).toBe(400);
  });

  it('decodes a plus and an escape', async () => {
    const response = await api.get('/api/v1/look_up?id=a+b%2Bc%3D%F0%9F%98%80=d');
    expect(await response.json()).toEqual({ success: true, id: 'a b+c=😀=d' });
  });
});

describe('a caller who disconnects', () => {
  it('leaves only a log line and a count', async () => {
    const metrics = createMetrics();
    const slow = { ...lookUp, handle: () => new Promise<never>(() => undefined) };
    await served({ endpoints: [slow, echo], metrics }, async (api) => {
      await expect(
        fetch(`${api.url}/api/v1/look_up?id=1`, { headers: credentials, signal: AbortSignal.timeout(100) }),
      ).rejects.toThrow();
      expect((await api.post('/api/v1/echo', {})).status).toBe(200);
      expect(await metrics.expose()).toContain('status="499"');
    });
  });
});
