/** The report of the flood as text. */
import { facts, table } from '../../../src/cli/table';
import { circumstances, headlineOf, type Circumstances } from '../report/circumstances';
import type { CallFigures, FloodFigures } from './flood';

export type FloodReport = FloodFigures & Circumstances;

export function floodReportOf(figures: FloodFigures, now = new Date()): FloodReport {
  return { ...figures, ...circumstances(now) };
}

export function floodText(report: FloodReport): string {
  const { quiet, onset, besieged, ratio, anonymous, cores } = report;
  const row = (name: string, { accepted, turned_away, failed, accept_ms }: CallFigures) => [
    name,
    accepted,
    turned_away,
    failed,
    accept_ms ? `${accept_ms.p50} ms` : '',
    accept_ms ? `${accept_ms.p99} ms` : '',
  ];
  const beside = `beside ${report.anonymous_per_s} anonymous calls/s`;
  const keyed = table(
    ['', 'accepted', 'rejected', 'failed', 'p50', 'p99'],
    [
      row('alone', quiet),
      row('in the first seconds of the flood', onset),
      row(beside, besieged),
      ['ratio', '', '', '', ratio.p50, ratio.p99],
      row('real customers without keys', report.customers),
    ],
  );
  const names = Object.keys(cores?.besieged ?? {});
  const processors = table(
    ['processors in use', ...names],
    [
      ['alone', ...names.map((name) => cores?.quiet[name] ?? '')],
      [beside, ...names.map((name) => cores?.besieged[name] ?? '')],
    ],
  );
  const calls = facts(
    Object.entries(anonymous).map(([kind, statuses]) => [
      kind.replaceAll('_', ' '),
      Object.entries(statuses)
        .map(([status, times]) => `${times} × ${status}`)
        .join(', '),
    ]),
  );
  return [
    headlineOf(report),
    `STK push with keys, ${report.keyed_per_s} per second, time to create:\n${keyed}`,
    ...(cores ? [processors] : []),
    `Results of the anonymous calls:\n${calls}`,
  ].join('\n\n');
}
