/** The full deployment and the empty one, as text and as JSON. */
import { table } from '../../../src/cli/table';
import { rounded } from '../measures/statistics';
import { circumstances, headlineOf, type Circumstances } from '../report/circumstances';
import { atMost, targetsText, type Target } from '../report/targets';
import type { Plan } from './copies';
import type { VolumeFigures } from './measure';
import type { PageFigures, PortalFigures } from './portal';

/** Milliseconds until the first byte of any page, for 99 of 100 requests. */
const firstByteMax = 100;

export interface VolumeTestFigures {
  plan: Plan;
  empty: VolumeFigures;
  full: VolumeFigures;
  /** Of the full deployment. */
  portal: PortalFigures;
  /** Of the full database, including indexes. */
  bytesPerPayment: number;
  fillSeconds: number;
}

export interface VolumeReport extends Circumstances {
  payments: number;
  open: number;
  fill_s: number;
  disk_bytes_per_payment: number;
  empty: VolumeFigures;
  full: VolumeFigures;
  /** The slowest first. */
  portal: PortalFigures;
  /** Full divided by empty. */
  ratio: { accept_p50: number; accept_p99: number };
  targets: Target[];
}

export function volumeReportOf(figures: VolumeTestFigures, now = new Date()): VolumeReport {
  const { plan, empty, full, bytesPerPayment, fillSeconds } = figures;
  const pages = figures.portal.pages.toSorted((a, b) => b.first_byte_ms.p99 - a.first_byte_ms.p99);
  const late = pages.filter(isLate);
  const ratio = {
    accept_p50: rounded(full.accept_ms.p50 / empty.accept_ms.p50),
    accept_p99: rounded(full.accept_ms.p99 / empty.accept_ms.p99),
  };
  return {
    ...plan,
    fill_s: fillSeconds,
    disk_bytes_per_payment: bytesPerPayment,
    empty,
    full,
    portal: { ...figures.portal, pages },
    ratio,
    targets: [
      atMost(1.1, 'create p50, full ÷ empty', ratio.accept_p50),
      atMost(0.1, 'workflow tasks per second while nothing is due', full.idle.workflow_tasks_per_s),
      atMost(5, `seconds of verify --changes, of ${full.changes}`, full.seconds.verify_changes),
      atMost(
        firstByteMax,
        `first byte of a page of the portal, p99, ms: the slowest of ${pages.length}, ${late.length} too late`,
        pages[0]?.first_byte_ms.p99 ?? 0,
      ),
    ],
    ...circumstances(now),
  };
}

const isLate = ({ first_byte_ms: ms }: PageFigures): boolean => ms.p99 > firstByteMax;

function portalText({ pages, left_out: leftOut }: PortalFigures): string {
  return [
    table(
      ['page of the portal', 'seen by', 'first byte p50, ms', 'p99, ms', ''],
      pages.map((one) => [
        ...[one.page, one.viewer, one.first_byte_ms.p50, one.first_byte_ms.p99],
        isLate(one) ? 'TOO LATE' : '',
      ]),
    ),
    ...(leftOut.length > 0 ? [`not opened: ${leftOut.join('; ')}`] : []),
  ].join('\n\n');
}

export function volumeText(report: VolumeReport): string {
  const { empty, full, ratio, payments, open } = report;
  const row = (
    name: string,
    of: (deployment: VolumeFigures) => string | number | undefined,
    more: number | '' = '',
  ) => [name, of(empty) ?? '', of(full) ?? '', more];
  const rows = table(
    ['', 'empty', 'full', 'full ÷ empty'],
    [
      row('create p50, ms', (deployment) => deployment.accept_ms.p50, ratio.accept_p50),
      row('create p99, ms', (deployment) => deployment.accept_ms.p99, ratio.accept_p99),
      row('idle: workflow tasks/s', (deployment) => deployment.idle.workflow_tasks_per_s),
      row('idle: SQL statements/s', (deployment) => deployment.idle.statements_per_s),
      row('idle: processors in use', (deployment) => deployment.idle.cores),
      row('a new worker: workflow tasks', (deployment) => deployment.worker_restart.workflow_tasks),
      row('a new worker: SQL statements', (deployment) => deployment.worker_restart.statements),
      row('a new worker: busy for, s', (deployment) => deployment.worker_restart.busy_s),
      row('a round of the sweeper p50, ms', (deployment) => deployment.sweep_ms.p50),
      row('a round of the sweeper, slowest, ms', (deployment) => deployment.sweep_ms.p99),
      row('verify, s', (deployment) => deployment.seconds.verify),
      row('verify --changes, s', (deployment) => deployment.seconds.verify_changes),
      row('payments with changes', (deployment) => deployment.changes),
      row('payment list, s', (deployment) => deployment.seconds.payment_list),
      row('case list, s', (deployment) => deployment.seconds.case_list),
    ],
  );
  return [
    headlineOf(report),
    `${payments} payments, of which ${open} are open; filled in ${report.fill_s} s, ${report.disk_bytes_per_payment} bytes each with indexes`,
    rows,
    `the slowest checks of the full deployment: ${full.slowest_checks.map(({ id, seconds }) => `${id} ${seconds} s`).join(', ')}`,
    portalText(report.portal),
    targetsText(report.targets),
  ].join('\n\n');
}
