/** What a full house is made of, and how it is told. */
import { copyOf, tableCopies } from '../../bench/full-house/columns';
import { agoOfNth, ofThisHour, ofThreeMonths } from '../../bench/full-house/copies';
import { fullHouseReportOf, fullHouseText } from '../../bench/full-house/report';
import { countsOf, shapes } from '../../bench/full-house/shapes';
import type { HouseFigures } from '../../bench/full-house/measure';
import { readOptions } from '../../bench/options';

describe('npm run bench -- --full-house', () => {
  it('has over a million payments, of which a hundred thousand wait, unless it is told otherwise', () => {
    expect(readOptions([]).fullHouse).toBeUndefined();
    expect(readOptions(['--full-house']).fullHouse).toMatchObject({ payments: 1_100_000, open: 100_000 });
    const small = ['--full-house', '--payments', '2000', '--open', '200', '--quick'];
    expect(readOptions(small).fullHouse).toMatchObject({
      payments: 2_000,
      open: 200,
      measure: { acceptSeconds: 2 },
    });
  });

  it('shares its payments out among the kinds, every one of them', () => {
    const counts = [...countsOf(shapes, false, 1_801), ...countsOf(shapes, true, 199)];
    expect(counts).toHaveLength(shapes.length);
    const sum = (open: boolean) =>
      counts.reduce((all, [{ isOpen = false }, count]) => all + (isOpen === open ? count : 0), 0);
    expect([sum(false), sum(true)]).toEqual([1_801, 199]);
    for (const open of [false, true]) {
      const shares = shapes.filter(({ isOpen = false }) => isOpen === open).map(({ share }) => share);
      expect(shares.reduce((all, share) => all + share, 0)).toBe(1_000);
    }
  });

  it('copies each column as what it is', () => {
    const column = (name: string, type: string) => ({ name, type, isGenerated: false });
    expect(copyOf(column('payment_id', 'char'), {})).toBe('c.payment_id');
    expect(copyOf(column('finished_at', 'datetime'), {})).toBe('s.finished_at - INTERVAL c.ago_s SECOND');
    expect(copyOf(column('details', 'longtext'), {})).toBe('REPLACE(s.details, c.source_id, c.payment_id)');
    expect(copyOf(column('amount', 'bigint'), {})).toBe('s.amount');
    const own = tableCopies.find(({ table }) => table === 'ledger_entries')?.columns ?? {};
    expect(copyOf(column('entry_id', 'bigint'), own)).toContain('c.first_entry_id');
  });

  it('has nothing end in the half hour by which callbacks are judged', () => {
    const judgedBySeconds = 1_800;
    for (const { ended } of [ofThreeMonths, ofThisHour]) {
      const [, least, more] =
        /^(\d+) \+ FLOOR\(\(n\.n \+ 1\) \* (\d+) \/ 11\)$/.exec(agoOfNth(ended, 10)) ?? [];
      const agos = Array.from(
        { length: 10 },
        (_, n) => Number(least) + Math.floor(((n + 1) * Number(more)) / 11),
      );
      expect(Math.min(...agos)).toBeGreaterThan(judgedBySeconds);
      expect(Math.max(...agos)).toBeLessThan(ended.most);
      expect(new Set(agos).size).toBe(10);
    }
  });

  it('shows no end of a payment before what was told of it', () => {
    const order = tableCopies.map(({ table }) => table);
    expect(order.indexOf('payment_log')).toBeGreaterThan(order.indexOf('inbox'));
    expect(order.indexOf('payment_log')).toBeGreaterThan(order.indexOf('payments'));
  });

  it('prints both houses, their ratio, and whether each target was met', () => {
    const house = (ms: number, tasks: number): HouseFigures => ({
      accept_ms: { p50: ms, p99: 2 * ms },
      idle: { workflow_tasks_per_s: tasks, statements_per_s: 6, cores: 0.01 },
      worker_restart: { workflow_tasks: 3, statements: 40, busy_s: 1.5 },
      sweep_ms: { p50: 4, p99: 9 },
      seconds: { verify: 12, verify_news: 2, payment_list: 1, case_list: 1 },
      slowest_checks: [{ id: 'W1', seconds: 7.5 }],
      news: tasks + 500,
    });
    const report = fullHouseReportOf({
      plan: { payments: 2_000, open: 200 },
      empty: house(50, 0),
      full: house(60, 0),
      bytesPerPayment: 6_500,
      fillSeconds: 3,
    });
    expect(report.ratio).toEqual({ accept_p50: 1.2, accept_p99: 1.2 });
    expect(report.targets.map(({ met }) => met)).toEqual([false, true, true]);
    const text = fullHouseText(report);
    expect(text).toMatch(/acceptance p50, ms +50 +60 +1\.2/);
    expect(text).toMatch(/full ÷ empty +at most 1\.1 +1\.2 +MISSED/);
    expect(text).toContain('2000 payments, of which 200 wait');
    expect(text).toContain('W1 7.5 s');
  });
});
