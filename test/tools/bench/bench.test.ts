/** The benchmark's calculations. Nothing is measured here: measurements depend on the machine. */
import { closedLoop } from '../../../tools/bench/load/closed-loop';
import { openLoop } from '../../../tools/bench/load/open-loop';
import { clockMs, type Pay } from '../../../tools/bench/load/payment';
import { measureSides, type Side, type SideFigures } from '../../../tools/bench/measures/side';
import { readOptions } from '../../../tools/bench/options';
import { kenyanCustomer, paymentKinds, zambianCustomer } from '../../../tools/bench/ours/payments';
import { ratioOf, reportOf, type Report } from '../../../tools/bench/report/report';
import { payoutBody } from '../../../src/rails/momo/requests';
import { kenyanPhone } from '../../../src/rails/stk/requests';

const oneTo100 = Array.from({ length: 100 }, (_, index) => index + 1);

function figures(settledPerSecond: number, acceptP50Ms: number, cpuMs = 30): SideFigures {
  return {
    rounds: [
      {
        settled: settledPerSecond,
        accept_p50: acceptP50Ms,
        accept_p50_at_20: 10 * acceptP50Ms,
        cpu_ms: cpuMs,
      },
    ],
    accept: {
      '1': { p50_ms: acceptP50Ms, p99_ms: 2 * acceptP50Ms },
      '20': { p50_ms: 10 * acceptP50Ms, p99_ms: 20 * acceptP50Ms },
    },
    turned_away_at_20: 0,
    settled_per_s: settledPerSecond,
    events_per_payment: 21,
    workflow_tasks_per_payment: 4,
    history_bytes_per_payment: 4_200,
    actions_per_payment: { starts: 1, signals: 1, total: 2 },
    sql_per_payment: { api: 12, worker: 20, total: 32 },
    cpu_ms_per_payment: { api: 8, worker: cpuMs - 8, total: cpuMs },
  };
}

function exampleReport(): Report {
  return reportOf(
    {
      ours: figures(24, 30),
      bare: figures(40, 20, 25),
      rails: { momo_deposit: figures(30, 22), momo_payout: figures(10, 40) },
      steady: {
        payments: 100,
        turned_away: 0,
        accept_ms: { p50: 31, p99: 44 },
        accept_to_final_ms: { p50: 25, p99: 60 },
        accept_to_delivered_ms: { p50: 33, p99: 81 },
      },
      overload: {
        offered_per_s: 72,
        offered: 360,
        accepted: 200,
        turned_away: 160,
        turned_away_share: 0.44,
        turned_away_without_retry_after: 0,
        failed: 0,
        accept_ms: { p50: 900, p99: 1_800 },
        accept_to_delivered_ms: { p50: 40, p99: 700 },
        drained_after_ms: 2_000,
        accept_p50_ms_afterwards: 32,
      },
      diskBytes: 6_500,
      customerMs: 100,
    },
    new Date('2026-01-02T03:04:05Z'),
  );
}

describe('the load generators', () => {
  function counted() {
    const seen = { underWay: 0, most: 0, begun: 0 };
    const pay: Pay = () => {
      seen.underWay += 1;
      seen.begun += 1;
      seen.most = Math.max(seen.most, seen.underWay);
      const finished = new Promise<number>((resolve) => {
        setImmediate(() => {
          seen.underWay -= 1;
          resolve(clockMs());
        });
      });
      return Promise.resolve({ kind: 'accepted', id: String(seen.begun), finished });
    };
    return { seen, pay };
  }

  it('closed: keep this number in progress and no more', async () => {
    const { seen, pay } = counted();
    const samples = await closedLoop(pay, { payments: 25, concurrency: 4 });
    expect(samples).toHaveLength(25);
    expect(seen).toEqual({ underWay: 0, most: 4, begun: 25 });
    for (const { startedAt, acceptedAt, finishedAt } of samples) {
      expect(startedAt).toBeLessThanOrEqual(acceptedAt);
      expect(acceptedAt).toBeLessThanOrEqual(finishedAt);
    }
  });

  it('closed: try again after a rejection', async () => {
    const { pay } = counted();
    let errors = 2;
    const samples = await closedLoop(
      () => {
        errors -= 1;
        return errors >= 0 ? Promise.resolve({ kind: 'turned_away', retryAfterMs: 1 }) : pay();
      },
      { payments: 3, concurrency: 1 },
    );
    expect(samples.map(({ turnedAway }) => turnedAway)).toEqual([2, 0, 0]);
  });

  it('open: send each request once, and count each kind of result', async () => {
    const { pay } = counted();
    const answers: Pay[] = [
      pay,
      () => Promise.resolve({ kind: 'turned_away', retryAfterMs: 1_000 }),
      () => Promise.resolve({ kind: 'turned_away' }),
      () => Promise.reject(new Error('the API answered 500')),
    ];
    const result = await openLoop(() => (answers.shift() ?? pay)(), { perSecond: 1_000, seconds: 0.005 });
    expect(result).toMatchObject({
      turnedAway: 2,
      withoutRetryAfter: 1,
      failures: ['the API answered 500'],
    });
    expect(result.samples).toHaveLength(2);
  });
});

describe('two sides', () => {
  it('are measured alternately, so that a busy moment affects both', async () => {
    const order: string[] = [];
    let grown = 0;
    const side = (name: string): Side => ({
      name,
      pids: {},
      quiet: () => Promise.resolve(),
      histories: () =>
        Promise.resolve({ events: 18, workflow_tasks: 3, bytes: 4_200, actions: { starts: 1, total: 1 } }),
      // Each payment reports an increase of three, and our reading of it one.
      counters: () => Promise.resolve({ fsyncs: (grown += 1) }),
      async statements(work) {
        await work();
        return { worker: 180, api: 60 };
      },
      closedLoop({ payments, concurrency }) {
        order.push(`${name} ${concurrency}`);
        grown += 3 * payments;
        return Promise.resolve(
          oneTo100.slice(0, payments).map((n) => ({
            id: `${name}-${n}`,
            startedAt: 0,
            acceptedAt: concurrency,
            finishedAt: 10 * n,
            turnedAway: n % 2,
          })),
        );
      },
    });
    const [ours, bare] = [side('ours'), side('bare')];
    const plan = { warmUp: 1, rounds: 2, alone: 2, crowded: 60 };
    const measured = await measureSides({ ours, bare }, plan, (_what, work) => work());
    const round = ['ours 1', 'ours 20', 'bare 1', 'bare 20'];
    // Counting is separate from the measurements.
    expect(order).toEqual(['ours 20', 'bare 20', ...round, ...round, 'ours 20', 'bare 20']);
    expect(measured.ours).toMatchObject({
      rounds: [1, 2].map(() => ({ settled: 100, accept_p50: 1, accept_p50_at_20: 20 })),
      accept: { '1': { p50_ms: 1, p99_ms: 1 }, '20': { p50_ms: 20, p99_ms: 20 } },
      // Of two rounds of sixty.
      turned_away_at_20: 60,
      settled_per_s: 100,
      events_per_payment: 18,
      workflow_tasks_per_payment: 3,
      sql_per_payment: { worker: 3, api: 1, total: 4 },
      history_bytes_per_payment: 4_200,
      grown_per_payment: { '1': { fsyncs: 3.5 }, '20': { fsyncs: 3.02 } },
    });
  });
});

describe('the report', () => {
  it('divides ours by bare, round by round, and shows the spread', () => {
    const round = (settled: number, cpuMs?: number) => ({
      ...{ settled, accept_p50: 30, accept_p50_at_20: 300 },
      ...(cpuMs !== undefined && { cpu_ms: cpuMs }),
    });
    const ours = { rounds: [round(24, 30), round(20, 30), round(33, 30)] };
    const bare = { rounds: [round(40, 15), round(40, 20), round(30, 15)] };
    expect(ratioOf(ours, bare)).toEqual({
      ...{ settled: 0.6, accept_p50: 1, accept_p50_at_20: 1, cpu_ms: 2 },
      spread: { settled: [0.5, 1.1], accept_p50: [1, 1], accept_p50_at_20: [1, 1], cpu_ms: [1.5, 2] },
    });
    expect(ratioOf(ours, { rounds: [round(40)] })).not.toHaveProperty('cpu_ms');
  });

  it('says of each target whether it was reached', () => {
    const { targets } = exampleReport();
    expect(targets.map(({ what, aim, measured, met }) => [what, aim, measured, met])).toEqual([
      ['STK push: settled per second, of bare', 'at least 0.85', 0.6, false],
      ['momo deposit: settled per second, of bare', 'at least 0.85', 0.75, false],
      ['momo payout: settled per second, of bare', 'at least 0.75', 0.25, false],
      ['create p50, one caller, ÷ bare', 'at most 1.4', 1.5, false],
      ['create p50, 20 callers, ÷ bare', 'at most 1.5', 1.5, true],
      ['processor time, ÷ bare', 'at most 1.4', 1.2, true],
      ['history events', 'at most 18', 21, false],
      ['overload: create p99 of accepted requests, ms', 'at most 1000', 1_800, false],
    ]);
  });

  it('has the keys that scripts read', () => {
    const spread = { p50: expect.any(Number), p99: expect.any(Number) };
    const percentilesOf = { p50_ms: expect.any(Number), p99_ms: expect.any(Number) };
    const side = {
      rounds: [
        {
          ...{ settled: expect.any(Number), accept_p50: expect.any(Number) },
          ...{ accept_p50_at_20: expect.any(Number), cpu_ms: expect.any(Number) },
        },
      ],
      accept: { '1': percentilesOf, '20': percentilesOf },
      turned_away_at_20: expect.any(Number),
      settled_per_s: expect.any(Number),
      events_per_payment: expect.any(Number),
      history_bytes_per_payment: expect.any(Number),
      actions_per_payment: expect.objectContaining({ total: expect.any(Number) }),
      workflow_tasks_per_payment: expect.any(Number),
      sql_per_payment: expect.objectContaining({ total: expect.any(Number) }),
      cpu_ms_per_payment: expect.objectContaining({ total: expect.any(Number) }),
    };
    expect(JSON.parse(JSON.stringify(exampleReport()))).toEqual({
      ...side,
      bare: side,
      ratio: {
        ...{ settled: 0.6, accept_p50: 1.5, accept_p50_at_20: 1.5, cpu_ms: 1.2 },
        spread: expect.objectContaining({ settled: [0.6, 0.6] }),
      },
      rails: {
        momo_deposit: { ...side, ratio: expect.objectContaining({ settled: 0.75, accept_p50: 1.1 }) },
        momo_payout: { ...side, ratio: expect.objectContaining({ settled: 0.25, accept_p50: 2 }) },
      },
      steady_5_per_s: expect.objectContaining({ accept_to_final_ms: spread, accept_to_delivered_ms: spread }),
      overload: expect.objectContaining({ turned_away_share: 0.44, accept_to_delivered_ms: spread }),
      disk_bytes_per_payment: 6_500,
      customer_ms: 100,
      targets: expect.arrayContaining([
        { what: 'history events', aim: 'at most 18', measured: 21, met: false },
      ]),
      verify: 'clean',
      machine: { cores: expect.any(Number), node: process.version, cpu: expect.any(String) },
      when: '2026-01-02T03:04:05.000Z',
    });
  });
});

describe('the options', () => {
  it('are json, quick, rounds and payments', () => {
    expect(readOptions([])).toMatchObject({ json: false, sides: { rounds: 5, crowded: 100 } });
    expect(readOptions(['--json', '--quick'])).toMatchObject({ json: true, sides: { rounds: 1 } });
    expect(readOptions(['--payments', '300'])).toMatchObject({ sides: { crowded: 60 } });
    expect(readOptions(['--rounds', '2'])).toMatchObject({ sides: { rounds: 2, crowded: 200 } });
  });

  it('reject what could not be measured, and unknown options', () => {
    const refused = [
      ['--payments', '10'],
      ['--rounds', '0'],
      ['--payments', 'many'],
      ['--fast'],
      ['--open', '10'],
      ['--volume', '--flood'],
      ['--volume', '--payments', '2000', '--open', '3000'],
    ];
    for (const args of refused) expect(() => readOptions(args)).toThrow();
  });
});

describe('the customers', () => {
  it('have numbers that the API accepts, and none of the simulator’s special ones', () => {
    const phones = oneTo100.map((n) => kenyanCustomer(n * 7_919));
    expect(phones.map(kenyanPhone)).toEqual(phones);
    expect(new Set(phones).size).toBe(phones.length);
    expect(phones.filter((phone) => phone.endsWith('600'))).toEqual([]);
  });

  it('are from Zambia for mobile money', () => {
    const bodies = oneTo100.map((n) => paymentKinds.momo_payout.body(n * 7_919));
    expect(bodies.flatMap((body) => payoutBody.validate(body).error ?? [])).toEqual([]);
    const phones = bodies.map(({ phone_number: phone }) => phone);
    expect(phones).toEqual(oneTo100.map((n) => zambianCustomer(n * 7_919)));
    expect(new Set(phones).size).toBe(phones.length);
    expect(phones.filter((phone) => !phone.endsWith('789'))).toEqual([]);
  });
});
