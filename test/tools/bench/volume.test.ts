/** The contents of a full deployment, and its report. */
import { copyOf, tableCopies } from '../../../tools/bench/volume/columns';
import { agoOfNth, ofThisHour, ofThreeMonths } from '../../../tools/bench/volume/copies';
import { volumeReportOf } from '../../../tools/bench/volume/report';
import { countsOf, shapes } from '../../../tools/bench/volume/shapes';
import type { VolumeFigures } from '../../../tools/bench/volume/measure';
import { addressesOf, olderOf } from '../../../tools/bench/volume/portal';
import { readOptions } from '../../../tools/bench/options';
import { portalRoutes } from '../../../src/portal/routes';

describe('npm run bench -- --volume', () => {
  it('has over a million payments, a hundred thousand of them open, by default', () => {
    expect(readOptions([]).volume).toBeUndefined();
    expect(readOptions(['--volume']).volume).toMatchObject({ payments: 1_100_000, open: 100_000 });
    const small = ['--volume', '--payments', '2000', '--open', '200', '--quick'];
    expect(readOptions(small).volume).toMatchObject({
      payments: 2_000,
      open: 200,
      measure: { acceptSeconds: 2 },
    });
  });

  it('divides its payments among all kinds', () => {
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

  it('copies each column by its meaning', () => {
    const column = (name: string, type: string) => ({ name, type, isGenerated: false });
    expect(copyOf(column('payment_id', 'char'), {})).toBe('c.payment_id');
    expect(copyOf(column('finished_at', 'datetime'), {})).toBe('s.finished_at - INTERVAL c.ago_s SECOND');
    expect(copyOf(column('details', 'longtext'), {})).toBe('REPLACE(s.details, c.source_id, c.payment_id)');
    expect(copyOf(column('amount', 'bigint'), {})).toBe('s.amount');
    const own = tableCopies.find(({ table }) => table === 'ledger_entries')?.columns ?? {};
    expect(copyOf(column('entry_id', 'bigint'), own)).toContain('c.first_entry_id');
  });

  it('has no payment that ended in the half hour by which notifications are judged', () => {
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

  it('shows the end of a payment only after its webhook', () => {
    const order = tableCopies.map(({ table }) => table);
    expect(order.indexOf('payment_log')).toBeGreaterThan(order.indexOf('inbox'));
    expect(order.indexOf('payment_log')).toBeGreaterThan(order.indexOf('payments'));
  });

  it('opens every page of the portal, as each kind of user', () => {
    const given = { merchant: 'm-1', shop: 'm-1', payment: 'p-1', webhook: 'w-1', case: '7', rail: 'momo' };
    const addresses = addressesOf(portalRoutes, { ...given, name: 'portal.css' });
    const pages = portalRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path);
    expect(new Set(addresses.map(({ page }) => page))).toEqual(new Set(pages));
    const of = (page: string) => addresses.filter((one) => one.page === page);
    expect(of('/m/:merchant/payments/:payment').map(({ viewer, address }) => [viewer, address])).toEqual([
      ['owner', '/m/m-1/payments/p-1'],
      ['operator', '/m/m-1/payments/p-1'],
    ]);
    expect(of('/ops').map(({ viewer }) => viewer)).toEqual(['operator']);
    expect(of('/ops/unmatched/:unmatched')).toMatchObject([{ address: undefined }]);
    expect(olderOf('<a href="/m/1/payments?a=1&amp;b=2" rel="next">')).toBe('/m/1/payments?a=1&b=2');
    expect(olderOf('<a href="/m/1/payments">')).toBeUndefined();
  });

  it('reports the ratio of both deployments, whether each target was reached, and the slowest page first', () => {
    const deployment = (ms: number, tasks: number): VolumeFigures => ({
      accept_ms: { p50: ms, p99: 2 * ms },
      idle: { workflow_tasks_per_s: tasks, statements_per_s: 6, cores: 0.01 },
      worker_restart: { workflow_tasks: 3, statements: 40, busy_s: 1.5 },
      sweep_ms: { p50: 4, p99: 9 },
      seconds: { verify: 12, verify_changes: 2, payment_list: 1, case_list: 1 },
      slowest_checks: [{ id: 'W1', seconds: 7.5 }],
      changes: tasks + 500,
    });
    const report = volumeReportOf({
      plan: { payments: 2_000, open: 200 },
      portal: {
        pages: [
          { viewer: 'owner', page: '/m/:merchant', first_byte_ms: { p50: 9, p99: 12 } },
          { viewer: 'operator', page: '/ops', first_byte_ms: { p50: 40, p99: 130 } },
        ],
        left_out: ['operator /ops/unmatched/:unmatched: there is none'],
      },
      empty: deployment(50, 0),
      full: deployment(60, 0),
      bytesPerPayment: 6_500,
      fillSeconds: 3,
    });
    expect(report.ratio).toEqual({ accept_p50: 1.2, accept_p99: 1.2 });
    expect(report.targets.map(({ met }) => met)).toEqual([false, true, true, false]);
    expect(report.portal.pages.map(({ page }) => page)).toEqual(['/ops', '/m/:merchant']);
  });
});
