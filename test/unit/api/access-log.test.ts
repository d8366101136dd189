/** The line that each call leaves in the log: what it says, at which level, and how a flood is bounded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { AppServices } from '../../../src/api/app';
import { sparingLog } from '../../../src/api/access-log';
import { currentRequest } from '../../../src/api/request-context';
import { PaymentError } from '../../../src/domain/errors';
import type { Log } from '../../../src/domain/log';
import type { NotificationRoute, ReceivedNotification } from '../../../src/rail-kit/rail';
import { createLog } from '../../../src/telemetry/logging';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { merchant, serve, type Served } from '../../support/api/serve';
import { aRoute, railOf } from '../../support/undescribed';

const productionGuide = join(__dirname, '..', '..', '..', 'docs', 'production.md');

type Line = [level: keyof Log, message: string, fields: Record<string, unknown> | undefined];

let lines: Line[];
let log: Log;
beforeEach(() => {
  lines = [];
  const write =
    (level: keyof Log) =>
    (message: string, fields?: Record<string, unknown>): void =>
      void lines.push([level, message, fields]);
  log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
});

describe('the line of a call', () => {
  let api: Served | undefined;
  const serving = async (services: Partial<AppServices> = {}): Promise<Served> =>
    (api = await serve({ log, ...services }));
  afterEach(() => api?.close());

  /** A line is written when the connection has taken the answer, which may be after the caller has it. */
  const calls = (n: number): Promise<Line[]> =>
    waitFor(
      () => {
        const found = lines.filter(([, message]) => message === 'request');
        return Promise.resolve(found.length >= n && found);
      },
      { what: `${String(n)} lines`, timeoutMs: 10_000, everyMs: 5 },
    );
  const lineOf = async (): Promise<Line> => (await calls(1))[0] ?? ['debug', '', {}];

  it('says who called what, how it ended and how long it took', async () => {
    const served = await serving();
    await served.get('/api/v1/look_up?id=254708374149');
    expect(await lineOf()).toEqual([
      'info',
      'request',
      {
        ...{ method: 'GET', route: '/api/v1/look_up', status: 200, code: undefined, rail: 'malipo' },
        ...{
          merchant_id: merchant.merchant_id,
          duration_ms: expect.any(Number) as number,
          address: 'loopback',
        },
      },
    ]);
  });

  it('has the fields of the example in the documentation', async () => {
    const [documented = ''] = /^\{"request_id".*\}$/m.exec(readFileSync(productionGuide, 'utf8')) ?? [];
    const stream = new PassThrough();
    const origin = { process: 'api', instance: 'api-1:7', build: 'v1.2.3', environment: 'live' };
    const context = () => ({ request_id: currentRequest()?.requestId });
    const served = await serving({ log: createLog({ level: 'info', stream, origin, context }) });
    await served.get('/api/v1/look_up');
    const text = await waitFor(
      () => Promise.resolve(/^.*"message":"request".*$/m.exec(String(stream.read() ?? ''))?.[0]),
      { what: 'the line', timeoutMs: 10_000, everyMs: 5 },
    );
    const fieldsOf = (line: string) => Object.keys(JSON.parse(line) as object);
    expect(fieldsOf(text)).toEqual(fieldsOf(documented));
  });

  it.each([
    ['/api/v1/look_up', {}, { code: 'VALIDATION_FAILED', merchant_id: merchant.merchant_id }],
    ['/api/v1/look_up', { 'X-API-Secret': 'wrong' }, { code: 'INVALID_CREDENTIALS', merchant_id: undefined }],
    ['/of/254708374149', {}, { code: 'NOT_FOUND', route: 'unknown', rail: undefined }],
  ])('of %s with %j has the code of its error', async (path, headers, expected) => {
    const served = await serving();
    await served.get(path, headers);
    const [level, , fields] = await lineOf();
    expect([level, fields]).toEqual(['info', expect.objectContaining(expected)]);
    expect(JSON.stringify(lines)).not.toContain('254708374149');
  });

  it.each([
    ['41.90.64.7', 'public'],
    ['10.0.0.7', 'private'],
    ['fd00::7', 'private'],
    ['2c0f:fe38::7', 'public'],
    ['unknown', 'loopback'],
  ])('has only the class of the address: %s, behind a proxy, is %s', async (address, kind) => {
    const config = { environment: 'sandbox', publicUrl: 'http://127.0.0.1', timezone: 'UTC' } as const;
    const served = await serving({ config: { ...config, trustedProxies: ['127.0.0.1'] } });
    await served.get('/api/v1/look_up?id=1', { 'X-Forwarded-For': address });
    expect((await lineOf())[2]).toMatchObject({ address: kind });
    expect(JSON.stringify(lines)).not.toContain(address === 'unknown' ? '127.0.0.1' : address);
  });

  it('of a health check is for debugging only', async () => {
    const served = await serving();
    await served.get('/healthz');
    expect(await lineOf()).toEqual(['debug', 'request', expect.objectContaining({ route: '/healthz' })]);
  });

  it('of a request that is rejected because of load is a warning, twenty a second', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(5_000);
    const served = await serving({
      shedding: {
        tryAdmit: () => ({ admitted: false, reason: 'backlog', retryAfterSeconds: 5 }),
        enter: () => ({ admitted: true, leave: () => undefined }),
      },
    });
    await Promise.all(Array.from({ length: 50 }, () => served.post('/api/v1/echo', { amount: '1.00' })));
    await served.get('/api/v1/look_up?id=1');
    const written = await calls(21);
    expect(written.filter(([level]) => level === 'warn')).toHaveLength(20);
    const busy = { status: 503, code: 'SERVICE_BUSY', merchant_id: merchant.merchant_id };
    expect(written[0]).toEqual(['warn', 'request', expect.objectContaining(busy)]);
    // No second line, and none at level error.
    expect(lines).toHaveLength(21);
    jest.restoreAllMocks();
  });

  it.each([
    [
      'a merchant with keys',
      'info',
      { takeToken: () => Promise.resolve({ allowed: false, retryAfterSeconds: 1 }) },
    ],
    [
      'a caller without keys',
      'warn',
      { authenticate: () => Promise.reject(new PaymentError('RATE_LIMITED', { retryAfterSeconds: 1 })) },
    ],
  ] as [string, string, Partial<AppServices>][])(
    'of %s above its limit is written twenty times a second, at level %s',
    async (_who, level, services) => {
      jest.spyOn(Date, 'now').mockReturnValue(5_000);
      const served = await serving(services);
      await Promise.all(Array.from({ length: 50 }, () => served.get('/api/v1/look_up?id=1')));
      const written = await calls(20);
      expect(written[0]).toEqual([level, 'request', expect.objectContaining({ code: 'RATE_LIMITED' })]);
      expect(lines).toHaveLength(20);
      jest.restoreAllMocks();
    },
  );

  it('is written for each call of an authenticated merchant, and for twenty calls a second of others', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(5_000);
    const served = await serving();
    await Promise.all(Array.from({ length: 50 }, () => served.get('/nowhere')));
    expect(await calls(20)).toHaveLength(20);
    await Promise.all(Array.from({ length: 50 }, () => served.get('/api/v1/look_up?id=1')));
    expect(await calls(70)).toHaveLength(70);
    jest.restoreAllMocks();
  });

  it.each([
    ['with a proof', 50, true],
    ['without one', 20, false],
  ])('of a provider’s notification %s: 50 in a second leave %d lines', async (_what, written, isProven) => {
    jest.spyOn(Date, 'now').mockReturnValue(5_000);
    const receive = (): Promise<ReceivedNotification> =>
      Promise.resolve({
        ...{ kind: 'take', isProven, eventKey: 'e1', body: '{}' },
        acknowledgement: { status: 200, body: {} },
      });
    const route: NotificationRoute = { method: 'POST', path: '/callbacks/x/:token', about: aRoute, receive };
    const served = await serving({ rails: [railOf({ name: 'stk', notificationRoutes: [route] })] });
    await Promise.all(Array.from({ length: 50 }, () => served.post('/callbacks/x/0123456789', {})));
    const found = await calls(written);
    expect(found[0]?.[2]).toMatchObject({ rail: 'stk', route: '/callbacks/x/:token', status: 200 });
    expect(lines).toHaveLength(written);
    jest.restoreAllMocks();
  });
});

describe('why a call failed', () => {
  it('is a line of its own, if there is more than the code', async () => {
    const api = await serve({ log });
    await api.get('/nowhere');
    expect(lines.filter(([, message]) => message !== 'request')).toEqual([]);
    await api.get('/api/v1/look_up');
    expect(lines).toContainEqual([
      'info',
      expect.any(String),
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        faults: [expect.objectContaining({ field: 'id' })],
      }),
    ]);
    await api.close();
  });

  it.each([
    ['of our own is written for each call', () => new Error('broken'), 50],
    [
      'is written twenty times a second while the database is away',
      () => new PaymentError('SERVICE_UNAVAILABLE', { detail: 'no connection' }),
      20,
    ],
  ])('%s', async (_what, thrown, written) => {
    jest.spyOn(Date, 'now').mockReturnValue(5_000);
    const api = await serve({ log, authenticate: () => Promise.reject(thrown()) });
    await Promise.all(Array.from({ length: 50 }, () => api.get('/api/v1/look_up?id=1')));
    expect(lines.filter(([level]) => level === 'error')).toHaveLength(written);
    await api.close();
    jest.restoreAllMocks();
  });
});

describe('the log of unauthenticated callers', () => {
  it('writes twenty lines of each level in a second, and then counts', () => {
    let now = 5_000;
    const sparing = sparingLog(log, () => now);
    for (let n = 0; n < 25; n += 1) {
      sparing.info('wrong');
      sparing.warn('forged');
      sparing.error('away');
    }
    expect(lines).toHaveLength(60);
    now += 1_000;
    sparing.info('wrong', { n: 1 });
    expect(lines.slice(60)).toEqual([
      ['warn', 'error responses were not logged, because there were too many', { count: 15 }],
      ['info', 'wrong', { n: 1 }],
    ]);
  });
});
