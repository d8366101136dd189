/** The full house beside the empty one, as a person and a script read it. */
import { table } from '../../../src/cli/table';
import { rounded } from '../measures/statistics';
import { circumstances, headlineOf, type Circumstances } from '../report/circumstances';
import { atMost, targetsText, type Target } from '../report/targets';
import type { Plan } from './copies';
import type { HouseFigures } from './measure';
import type { PageFigures, PortalFigures } from './portal';

/** Milliseconds until the first byte of any page, for 99 of 100. */
const firstByteMax = 100;

export interface FullHouseFigures {
  plan: Plan;
  empty: HouseFigures;
  full: HouseFigures;
  /** Of the full house. */
  portal: PortalFigures;
  /** Of the full database, indexes included. */
  bytesPerPayment: number;
  fillSeconds: number;
}

export interface FullHouseReport extends Circumstances {
  payments: number;
  open: number;
  fill_s: number;
  disk_bytes_per_payment: number;
  empty: HouseFigures;
  full: HouseFigures;
  /** The slowest first. */
  portal: PortalFigures;
  /** Full divided by empty. */
  ratio: { accept_p50: number; accept_p99: number };
  targets: Target[];
}

export function fullHouseReportOf(figures: FullHouseFigures, now = new Date()): FullHouseReport {
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
      atMost(1.1, 'acceptance p50, full ÷ empty', ratio.accept_p50),
      atMost(0.1, 'workflow tasks per second while nothing is due', full.idle.workflow_tasks_per_s),
      atMost(5, `seconds of verify --news, of ${full.news}`, full.seconds.verify_news),
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

export function fullHouseText(report: FullHouseReport): string {
  const { empty, full, ratio, payments, open } = report;
  const row = (
    name: string,
    of: (house: HouseFigures) => string | number | undefined,
    more: number | '' = '',
  ) => [name, of(empty) ?? '', of(full) ?? '', more];
  const rows = table(
    ['', 'empty', 'full', 'full ÷ empty'],
    [
      row('acceptance p50, ms', (house) => house.accept_ms.p50, ratio.accept_p50),
      row('acceptance p99, ms', (house) => house.accept_ms.p99, ratio.accept_p99),
      row('idle: workflow tasks/s', (house) => house.idle.workflow_tasks_per_s),
      row('idle: SQL statements/s', (house) => house.idle.statements_per_s),
      row('idle: processors in use', (house) => house.idle.cores),
      row('a new worker: workflow tasks', (house) => house.worker_restart.workflow_tasks),
      row('a new worker: SQL statements', (house) => house.worker_restart.statements),
      row('a new worker: busy for, s', (house) => house.worker_restart.busy_s),
      row('a round of the sweeper p50, ms', (house) => house.sweep_ms.p50),
      row('a round of the sweeper, slowest, ms', (house) => house.sweep_ms.p99),
      row('verify, s', (house) => house.seconds.verify),
      row('verify --news, s', (house) => house.seconds.verify_news),
      row('payments with news', (house) => house.news),
      row('payment list, s', (house) => house.seconds.payment_list),
      row('case list, s', (house) => house.seconds.case_list),
    ],
  );
  return [
    headlineOf(report),
    `${payments} payments, of which ${open} wait; filled in ${report.fill_s} s, ${report.disk_bytes_per_payment} bytes each with indexes`,
    rows,
    `the slowest checks of the full house: ${full.slowest_checks.map(({ id, seconds }) => `${id} ${seconds} s`).join(', ')}`,
    portalText(report.portal),
    targetsText(report.targets),
  ].join('\n\n');
}
