/** The report as text. */
import { facts, table } from '../../../src/cli/table';
import type { CpuMs } from '../measures/cpu';
import type { RoundFigures, SideFigures } from '../measures/side';
import type { Percentiles } from '../measures/statistics';
import { headlineOf } from './circumstances';
import type { Ratio, Report } from './report';
import { targetsText } from './targets';

export function textOf(report: Report): string {
  const { bare, ratio, rails, steady_5_per_s: steady, overload, disk_bytes_per_payment: disk } = report;
  const beside = table(
    [
      '',
      'settled/s',
      'of bare',
      'accepted, one at a time',
      'of bare',
      'accepted, 20 at a time',
      'of bare',
      'rejected',
      'events',
      'tasks',
      'SQL',
      'CPU ms',
      'of bare',
      'disk bytes',
    ],
    [
      [...rowOf('STK push', report, ratio), disk],
      ...Object.entries(rails).map(([kind, figures]) => [
        ...rowOf(kind.replaceAll('_', ' '), figures, figures.ratio),
        disk,
      ]),
      rowOf('bare workflow', bare),
    ],
  );
  const arrivals = facts([
    ['rejected', steady.turned_away],
    ['create', spread(steady.accept_ms)],
    ['accept to final', spread(steady.accept_to_final_ms)],
    ['accept to delivered', spread(steady.accept_to_delivered_ms)],
  ]);
  const errors = facts([
    ['rejected', `${overload.turned_away} of ${overload.offered}`],
    ['failed', overload.failed],
    ['create', spread(overload.accept_ms)],
    ['accept to delivered', spread(overload.accept_to_delivered_ms)],
    ['drained after', `${overload.drained_after_ms} ms`],
    ['create afterwards', `p50 ${overload.accept_p50_ms_afterwards} ms`],
  ]);
  const processes = table(
    ['per payment, by process', ...byProcess(report)],
    [
      ['STK push, CPU ms', ...byProcess(report).map((name) => report.cpu_ms_per_payment?.[name] ?? '')],
      ...[['STK push', report] as const, ...Object.entries(rails)].map(([kind, { sql_per_payment: sql }]) => [
        `${kind.replaceAll('_', ' ')}, SQL statements`,
        ...byProcess(report).map((name) => sql?.[name] ?? ''),
      ]),
    ],
  );
  return [
    headlineOf(report),
    beside,
    `STK push at a steady 5 per second (without the ${report.customer_ms} ms that the customer takes):\n${arrivals}`,
    `STK push, offered ${overload.offered_per_s} per second, three times the maximum load:\n${errors}`,
    processes,
    'Disk bytes are those of the database, including indexes, over all payments of the run, of any kind.',
    targetsText(report.targets),
  ].join('\n\n');
}

function rowOf(name: string, figures: SideFigures, ratio?: Ratio): (string | number)[] {
  return [
    name,
    figures.settled_per_s,
    ofBare(ratio, 'settled'),
    pair(figures.accept['1']),
    ofBare(ratio, 'accept_p50'),
    pair(figures.accept['20']),
    ofBare(ratio, 'accept_p50_at_20'),
    figures.turned_away_at_20,
    figures.events_per_payment,
    figures.workflow_tasks_per_payment,
    figures.sql_per_payment?.['total'] ?? '',
    cpu(figures.cpu_ms_per_payment),
    ofBare(ratio, 'cpu_ms'),
  ];
}

/** The median of the rounds, with the least and the most. */
function ofBare(ratio: Ratio | undefined, name: keyof RoundFigures): string {
  const [least, most] = ratio?.spread[name] ?? [];
  const middle = ratio?.[name];
  if (middle === undefined) return '';
  return least === most ? String(middle) : `${String(middle)} (${String(least)}–${String(most)})`;
}

function pair({ p50_ms: p50, p99_ms: p99 }: Percentiles): string {
  return spread({ p50, p99 });
}

function spread({ p50, p99 }: { p50: number; p99: number }): string {
  return `p50 ${p50} ms, p99 ${p99} ms`;
}

function cpu(used: CpuMs | undefined): string {
  return used?.['total'] === undefined ? 'unknown' : String(used['total']);
}

/** The names of all processes, with `total` last. */
function byProcess({ cpu_ms_per_payment: cpuMs = {}, sql_per_payment: sql = {} }: SideFigures): string[] {
  const names = new Set([...Object.keys(cpuMs), ...Object.keys(sql)]);
  names.delete('total');
  return [...names, 'total'];
}
