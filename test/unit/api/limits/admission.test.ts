/** The resources that a call uses before it is admitted, and the counting of calls. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { PaymentError } from '../../../../src/domain/errors';
import { noteProvidersTime } from '../../../../src/api/request-context';
import { createMetrics } from '../../../../src/telemetry/metrics';
import type { Call } from '../../../../src/rail-kit/endpoint';
import { echo, lookUp, serve } from '../../../support/api/serve';

describe('the check before admission', () => {
  it('uses no resources for calls that it rejects', async () => {
    let isFull = false;
    let tokens = 0;
    const place = { admitted: true, leave: () => undefined } as const;
    const full = { admitted: false, reason: 'waiting', retryAfterSeconds: 2 } as const;
    const metrics = createMetrics();
    const api = await serve({
      metrics,
      endpoints: [echo, lookUp],
      shedding: { tryAdmit: () => (isFull ? full : place), enter: () => place },
      takeToken() {
        tokens += 1;
        return Promise.resolve({ allowed: true });
      },
    });
    const key = { 'Idempotency-Key': 'k1' };
    const spentBy = async (send: () => Promise<Response>) => {
      const before = tokens;
      const { status } = await send();
      return [status, tokens - before];
    };
    const post = (headers: Record<string, string> = {}) => api.post('/api/v1/echo', { amount: 10 }, headers);
    const first = await spentBy(() => post(key));
    isFull = true;
    const turnedAway = await post();
    const reported = [
      first,
      await spentBy(() => post()),
      await spentBy(() => post({ 'Idempotency-Key': 'k2' })),
      await spentBy(() => post({ 'X-API-Secret': 'sk_test_wrong' })),
      await spentBy(() => post(key)),
      await spentBy(() => api.get('/api/v1/look_up?id=1')),
    ];
    await api.close();
    expect(turnedAway.headers.get('retry-after')).toBe('2');
    expect(reported).toEqual([
      [200, 1],
      [503, 0],
      [503, 0],
      [401, 0],
      [200, 1],
      [200, 1],
    ]);
    expect(await metrics.expose()).toContain('malipo_requests_shed_total{reason="waiting"} 3');
  });

  it('measures admitted calls, and their provider time if it is known', async () => {
    const left: unknown[] = [];
    const refused = { ...echo, handle: () => Promise.reject(new PaymentError('FLOAT_INSUFFICIENT')) };
    const served = { ...echo, path: '/api/v1/served' };
    const waits = (path: string, ms: number | undefined) => ({
      ...echo,
      path,
      handle(call: Call) {
        noteProvidersTime(ms);
        noteProvidersTime(50);
        return echo.handle(call);
      },
    });
    const [reported, late] = [waits('/api/v1/told', 200), waits('/api/v1/late', undefined)];
    const api = await serve({
      endpoints: [refused, served, reported, late],
      shedding: {
        tryAdmit: () => ({ admitted: true, leave: (elsewhereMs) => void left.push(elsewhereMs) }),
        enter: () => ({ admitted: true, leave: () => undefined }),
      },
    });
    await api.post(refused.path, { amount: 10 });
    await api.post(served.path, { amount: 10 });
    await api.post(served.path, { amount: 'much' });
    await api.post(reported.path, { amount: 10 });
    await api.post(late.path, { amount: 10 });
    await api.close();
    expect(left).toEqual(['unknown', 0, undefined, 250, 'unknown']);
  });

  it('does not count the time in which a sender sent a body with its keys', async () => {
    let waitedMs = -1;
    const api = await serve({
      endpoints: [echo],
      shedding: {
        tryAdmit(_lane, caller) {
          waitedMs = caller?.waitedMs ?? -1;
          return { admitted: true, leave: () => undefined };
        },
        enter: () => ({ admitted: true, leave: () => undefined }),
      },
    });
    const slowMs = 60_000;
    const realNow = performance.now.bind(performance);
    try {
      const sending = httpRequest(api.url + echo.path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Expect: '100-continue', Connection: 'close' },
      });
      const answered = once(sending, 'response');
      sending.flushHeaders();
      await once(sending, 'continue');
      jest.spyOn(performance, 'now').mockImplementation(() => realNow() + slowMs);
      sending.end(JSON.stringify({ amount: 10, api_key: 'pk_test_1', api_secret: 'sk_test_1' }));
      const [answer] = (await answered) as [IncomingMessage];
      answer.resume();
      expect(answer.statusCode).toBe(200);
    } finally {
      jest.restoreAllMocks();
    }
    await api.close();
    expect(waitedMs).toBeGreaterThanOrEqual(0);
    expect(waitedMs).toBeLessThan(slowMs);
  });

  it.each([
    ['its work is done', 200, {}],
    ['its key is wrong', 401, { 'X-API-Secret': 'sk_test_wrong' }],
    ['it is beyond its limit', 429, { 'Idempotency-Key': 'limited' }],
    ['its body is no JSON', 415, { 'Content-Type': 'text/plain' }],
  ])('no longer counts a call once %s', async (_what, status, headers) => {
    let waiting = 0;
    let counted = 0;
    const api = await serve({
      shedding: {
        tryAdmit() {
          waiting += 1;
          counted += 1;
          return { admitted: true, leave: () => void (waiting -= 1) };
        },
        enter: () => ({ admitted: true, leave: () => undefined }),
      },
      takeToken: () =>
        Promise.resolve(status === 429 ? { allowed: false, retryAfterSeconds: 1 } : { allowed: true }),
      endpoints: [echo],
    });
    const answer = await api.post('/api/v1/echo', { amount: 10 }, headers);
    await api.close();
    expect([answer.status, counted, waiting]).toEqual([status, status === 401 ? 0 : 1, 0]);
  });
});
