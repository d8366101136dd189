/** The siege as a person reads it. */
import { facts, table } from '../../../src/cli/table';
import { circumstances, headlineOf, type Circumstances } from '../report/circumstances';
import type { CallFigures, SiegeFigures } from './siege';

export type SiegeReport = SiegeFigures & Circumstances;

export function siegeReportOf(figures: SiegeFigures, now = new Date()): SiegeReport {
  return { ...figures, ...circumstances(now) };
}

export function siegeText(report: SiegeReport): string {
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
    ['', 'accepted', 'turned away', 'failed', 'p50', 'p99'],
    [
      row('alone', quiet),
      row('in the first seconds of the siege', onset),
      row(beside, besieged),
      ['ratio', '', '', '', ratio.p50, ratio.p99],
      row('honest customers without keys', report.customers),
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
    `STK push with keys, ${report.keyed_per_s} per second, acceptance:\n${keyed}`,
    ...(cores ? [processors] : []),
    `What became of the anonymous calls:\n${calls}`,
  ].join('\n\n');
}
