import { createShedding, refusedShare } from '../../../../src/api/limits/shedding';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { createMetrics } from '../../../../src/telemetry/metrics';
import type { Answer, Call } from '../../../../src/rail-kit/endpoint';
import { echo, errorOf, lookUp, serve } from '../../../support/api/serve';
import { aRail } from '../../../support/undescribed';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('shedding', () => {
  it.each([
    [0, 0],
    [500, 0],
    [1_250, 0.5],
    [2_000, 1],
    [60_000, 1],
  ])('refuses the share of a backlog of %d ms: %d', (ageMs, share) => {
    expect(refusedShare(ageMs, 2_000)).toBe(share);
  });

  it('lets as many in at once as there are places, and another when one leaves', () => {
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

  it('keeps the places of each provider apart, so that one that hangs fills no other', () => {
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
    let looks = 0;
    const enter = () => shedding.enter('stk_push');
    let shedding = createShedding({
      acceptancesMax: 1,
      backlogMaxMs: 2_000,
      backlogAgeMs: () => Promise.resolve(0),
    });
    beforeEach(() => {
      now = 1_000_000;
      looks = 0;
      shedding = createShedding({
        acceptancesMax: 1_000,
        backlogMaxMs: 2_000,
        backlogAgeMs: () => {
          looks += 1;
          return Promise.resolve(ageMs);
        },
        now: () => now,
        random: () => 0.5,
      });
    });

    it('looks at most twice a second and waits for no look', async () => {
      ageMs = 6_000;
      expect(enter().admitted).toBe(true);
      await settled();
      for (let n = 0; n < 100; n += 1) enter();
      expect(looks).toBe(1);
      now += 500;
      enter();
      enter();
      expect(looks).toBe(2);
    });

    it('goes on looking though the clock is set back by an hour', async () => {
      shedding = createShedding({
        acceptancesMax: 1_000,
        backlogMaxMs: 2_000,
        backlogAgeMs: () => {
          looks += 1;
          return Promise.resolve(0);
        },
      });
      enter();
      const realNow = Date.now;
      jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 3_600_000);
      try {
        const looksAgain = async () => {
          enter();
          return looks > 1 || undefined;
        };
        await waitFor(looksAgain, { what: 'another look', timeoutMs: 10_000 });
      } finally {
        jest.restoreAllMocks();
      }
    });

    it('turns callers away for as long as the backlog is old', async () => {
      ageMs = 6_000;
      enter();
      await settled();
      expect(enter()).toEqual({ admitted: false, reason: 'backlog', retryAfterSeconds: 6 });
    });

    it('is certain at the door only where nobody is let in', async () => {
      ageMs = 1_999;
      enter();
      await settled();
      expect(enter().admitted).toBe(false);
      expect(shedding.knock('stk_push').admitted).toBe(true);
      ageMs = 2_000;
      now += 1_000;
      enter();
      await settled();
      expect(shedding.knock('stk_push')).toMatchObject({ reason: 'backlog' });
    });

    it('never asks for more than ten seconds of patience', async () => {
      ageMs = 3_600_000;
      enter();
      await settled();
      expect(enter()).toMatchObject({ retryAfterSeconds: 10 });
    });

    it('refuses a growing share between half a second and two', async () => {
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

    it('lets in again once the backlog is gone', async () => {
      ageMs = 6_000;
      enter();
      await settled();
      ageMs = 0;
      now += 1_000;
      enter();
      await settled();
      expect(enter().admitted).toBe(true);
    });

    it('forgets what it saw before a quiet time', async () => {
      ageMs = 6_000;
      enter();
      await settled();
      now += 60_000;
      expect(enter().admitted).toBe(true);
    });
  });

  it('goes on when the backlog cannot be seen', async () => {
    const shedding = createShedding({
      acceptancesMax: 9,
      backlogMaxMs: 2_000,
      backlogAgeMs: () => Promise.reject(new Error('gone')),
    });
    shedding.enter('stk_push');
    await settled();
    expect(shedding.enter('stk_push').admitted).toBe(true);
  });

  it('is 503 before any work, for calls that start something only', async () => {
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
        knock: () => ({ admitted: true, leave: () => undefined }),
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
    expect(await metrics.expose()).toContain('shed_total{reason="backlog"} 1');
  });

  it('counts all endpoints of a rail as one provider, whatever their paths are', async () => {
    let finish: () => void = () => undefined;
    let begins: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begins = resolve));
    const hangs = new Promise<void>((resolve) => (finish = resolve));
    const endpoint = (path: string) => ({
      ...echo,
      path,
      async handle(): Promise<Answer> {
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
      forStrangers: [],
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

  it('lets a repeated request through, whose payment may live, and only what is new away', async () => {
    let isFull = false;
    const place = { admitted: true, leave: () => undefined } as const;
    const full = { admitted: false, reason: 'concurrency', retryAfterSeconds: 1 } as const;
    const isRepeated = ({ input }: Call) => Promise.resolve(input['reference'] === 'known');
    const api = await serve({
      endpoints: [{ ...echo, isRepeated }],
      shedding: {
        knock: () => ({ admitted: true, leave: () => undefined }),
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

  it('gives the place back when the work fails', async () => {
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
