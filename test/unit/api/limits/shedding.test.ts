import { createShedding, refusedShare } from '../../../../src/api/limits/shedding';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { createMetrics } from '../../../../src/telemetry/metrics';
import type { EndpointResponse, Call } from '../../../../src/rail-kit/endpoint';
import { echo, errorOf, lookUp, serve } from '../../../support/api/serve';
import { aRail } from '../../../support/undescribed';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('load shedding', () => {
  it.each([
    [0, 0],
    [500, 0],
    [1_250, 0.5],
    [2_000, 1],
    [60_000, 1],
  ])('with a backlog of %d ms rejects this share: %d', (ageMs, share) => {
    expect(refusedShare(ageMs, 2_000)).toBe(share);
  });

  it('admits up to the concurrency limit, and another call when one ends', () => {
    const shedding = createShedding({
      acceptancesMax: 2,
      backlogMaxMs: 2_000,
      backlogAgeMs: () => Promise.resolve(0),
    });
    const first = shedding.enter('stk_push');
    shedding.enter('stk_push');
    expect(shedding.enter('stk_push')).toEqual({
      admitted: false,
      reason: 'concurrency',
      retryAfterSeconds: 1,
    });
    if (!first.admitted) throw new Error('the first was refused');
    first.leave();
    first.leave();
    expect(shedding.enter('stk_push').admitted).toBe(true);
    expect(shedding.enter('stk_push').admitted).toBe(false);
  });

  it('has a separate limit per provider, so that one that hangs does not block the others', () => {
    const shedding = createShedding({
      acceptancesMax: 1,
      backlogMaxMs: 2_000,
      backlogAgeMs: () => Promise.resolve(0),
    });
    expect(shedding.enter('stk_push').admitted).toBe(true);
    expect(shedding.enter('stk_push').admitted).toBe(false);
    expect(shedding.enter('momo').admitted).toBe(true);
  });

  describe('with a backlog', () => {
    let now = 0;
    let ageMs = 0;
    let checks = 0;
    const enter = () => shedding.enter('stk_push');
    let shedding = createShedding({
      acceptancesMax: 1,
      backlogMaxMs: 2_000,
      backlogAgeMs: () => Promise.resolve(0),
    });
    beforeEach(() => {
      now = 1_000_000;
      checks = 0;
      shedding = createShedding({
        acceptancesMax: 1_000,
        backlogMaxMs: 2_000,
        backlogAgeMs: () => {
          checks += 1;
          return Promise.resolve(ageMs);
        },
        now: () => now,
        random: () => 0.5,
      });
    });

    it('queries it at most twice a second and waits for no query', async () => {
      ageMs = 6_000;
      expect(enter().admitted).toBe(true);
      await settled();
      for (let n = 0; n < 100; n += 1) enter();
      expect(checks).toBe(1);
      now += 500;
      enter();
      enter();
      expect(checks).toBe(2);
    });

    it('keeps querying after the clock is set back by an hour', async () => {
      shedding = createShedding({
        acceptancesMax: 1_000,
        backlogMaxMs: 2_000,
        backlogAgeMs: () => {
          checks += 1;
          return Promise.resolve(0);
        },
      });
      enter();
      const realNow = Date.now;
      jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 3_600_000);
      try {
        const checksAgain = async () => {
          enter();
          return checks > 1 || undefined;
        };
        await waitFor(checksAgain, { what: 'another look', timeoutMs: 10_000 });
      } finally {
        jest.restoreAllMocks();
      }
    });

    it('rejects callers while the backlog is old', async () => {
      ageMs = 6_000;
      enter();
      await settled();
      expect(enter()).toEqual({ admitted: false, reason: 'backlog', retryAfterSeconds: 6 });
    });

    it('rejects before admission only when no call is admitted', async () => {
      ageMs = 1_999;
      enter();
      await settled();
      expect(enter().admitted).toBe(false);
      expect(shedding.tryAdmit('stk_push').admitted).toBe(true);
      ageMs = 2_000;
      now += 1_000;
      enter();
      await settled();
      expect(shedding.tryAdmit('stk_push')).toMatchObject({ reason: 'backlog' });
    });

    it('never asks callers to wait longer than ten seconds', async () => {
      ageMs = 3_600_000;
      enter();
      await settled();
      expect(enter()).toMatchObject({ retryAfterSeconds: 10 });
    });

    it('rejects a growing share between half a second and two', async () => {
      ageMs = 1_000;
      enter();
      await settled();
      expect(enter().admitted).toBe(true);
      ageMs = 1_500;
      now += 1_000;
      enter();
      await settled();
      expect(enter().admitted).toBe(false);
    });

    it('admits calls again once the backlog is gone', async () => {
      ageMs = 6_000;
      enter();
      await settled();
      ageMs = 0;
      now += 1_000;
      enter();
      await settled();
      expect(enter().admitted).toBe(true);
    });

    it('forgets a measurement after a quiet time', async () => {
      ageMs = 6_000;
      enter();
      await settled();
      now += 60_000;
      expect(enter().admitted).toBe(true);
    });
  });

  it('continues when the backlog cannot be queried', async () => {
    const shedding = createShedding({
      acceptancesMax: 9,
      backlogMaxMs: 2_000,
      backlogAgeMs: () => Promise.reject(new Error('gone')),
    });
    shedding.enter('stk_push');
    await settled();
    expect(shedding.enter('stk_push').admitted).toBe(true);
  });

  it('answers 503 before any work, only for calls that start something', async () => {
    const metrics = createMetrics();
    let handled = 0;
    const handle = () => {
      handled += 1;
      return Promise.resolve({ status: 200, body: {} });
    };
    const api = await serve({
      metrics,
      endpoints: [{ ...echo, handle }, lookUp],
      shedding: {
        tryAdmit: () => ({ admitted: true, leave: () => undefined }),
        enter: () => ({ admitted: false, reason: 'backlog', retryAfterSeconds: 4 }),
      },
    });
    const refused = await api.post('/api/v1/echo', { amount: 10 });
    const read = await api.get('/api/v1/look_up?id=1');
    await api.close();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '4']);
    expect((await errorOf(refused)).code).toBe('SERVICE_BUSY');
    expect(read.status).toBe(200);
    expect(handled).toBe(0);
    expect(await metrics.expose()).toContain('malipo_requests_shed_total{reason="backlog"} 1');
  });

  it('counts all endpoints of a rail together, whatever their paths', async () => {
    let finish: () => void = () => undefined;
    let begins: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begins = resolve));
    const hangs = new Promise<void>((resolve) => (finish = resolve));
    const endpoint = (path: string) => ({
      ...echo,
      path,
      async handle(): Promise<EndpointResponse> {
        if (path === hanging) {
          begins();
          await hangs;
        }
        return { status: 200, body: {} };
      },
    });
    const hanging = '/api/v2/begin.php';
    const paths = [hanging, '/api/v2/cardproc/begin.php', '/api/cardproc/send_order.php'];
    const rail = (name: string, ...own: string[]) => ({
      name,
      endpoints: own.map(endpoint),
      unauthenticatedEndpoints: [],
      notificationRoutes: [],
      description: aRail,
    });
    const api = await serve({
      shedding: createShedding({
        acceptancesMax: 1,
        backlogMaxMs: 2_000,
        backlogAgeMs: () => Promise.resolve(0),
      }),
      endpoints: [endpoint('/api/v2/of_no_rail')],
      rails: [rail('cardproc', ...paths), rail('momo', '/api/v2/deposit')],
    });
    const statusOf = async (path: string) => (await api.post(path, {})).status;
    const first = statusOf(hanging);
    await begun;
    const others = await Promise.all(
      [...paths.slice(1), '/api/v2/deposit', '/api/v2/of_no_rail'].map((path) => statusOf(path)),
    );
    finish();
    const after = [await first, await statusOf(paths[2] ?? '')];
    await api.close();
    expect(others).toEqual([503, 503, 200, 200]);
    expect(after).toEqual([200, 200]);
  });

  it('admits a repeated request, whose payment may exist, and rejects only new ones', async () => {
    let isFull = false;
    const place = { admitted: true, leave: () => undefined } as const;
    const full = { admitted: false, reason: 'concurrency', retryAfterSeconds: 1 } as const;
    const isRepeated = ({ input }: Call) => Promise.resolve(input['reference'] === 'known');
    const api = await serve({
      endpoints: [{ ...echo, isRepeated }],
      shedding: {
        tryAdmit: () => ({ admitted: true, leave: () => undefined }),
        enter: () => (isFull ? full : place),
      },
    });
    const post = async (body: object, headers: Record<string, string> = {}) =>
      (await api.post('/api/v1/echo', body, headers)).status;
    const key = { 'Idempotency-Key': 'k1' };
    const first = await post({ amount: 10 }, key);
    isFull = true;
    const answers = [
      await post({ amount: 10 }, key),
      await post({ amount: 10 }, { 'Idempotency-Key': 'k2' }),
      await post({ amount: 10 }),
      await post({ reference: 'known' }),
    ];
    await api.close();
    expect([first, ...answers]).toEqual([200, 200, 503, 503, 200]);
  });

  it('releases the place when the work fails', async () => {
    const shedding = createShedding({
      acceptancesMax: 1,
      backlogMaxMs: 2_000,
      backlogAgeMs: () => Promise.resolve(0),
    });
    const api = await serve({
      shedding,
      endpoints: [{ ...echo, handle: () => Promise.reject(new Error('surprise')) }],
    });
    const answers = [await api.post('/api/v1/echo', {}), await api.post('/api/v1/echo', {})];
    await api.close();
    expect(answers.map((answer) => answer.status)).toEqual([500, 500]);
  });
});
