/** Settlements per second, compared with the lower bound. */
import { table } from '../../../src/cli/table';
import { rounded } from '../measures/statistics';
import { circumstances, headlineOf, type Circumstances } from '../report/circumstances';
import { atLeast, targetsText, type Target } from '../report/targets';

/** Per second. */
export interface HotFigures {
  /** The rows of a settlement, inserted and committed. */
  bare_rows: number;
  one_wallet: number;
  many_wallets: number;
  one_float: number;
  many_floats: number;
}

export interface HotReport extends Circumstances {
  settlements: number;
  merchants: number;
  per_s: HotFigures;
  /** Divided by the lower bound. */
  of_floor: Record<Exclude<keyof HotFigures, 'bare_rows'>, number>;
  targets: Target[];
}

export function hotReportOf(
  figures: HotFigures,
  { settlements, merchants }: { settlements: number; merchants: number },
  now = new Date(),
): HotReport {
  const { bare_rows: floor, one_wallet, many_wallets, one_float, many_floats } = figures;
  const of = {
    one_wallet: rounded(one_wallet / floor),
    many_wallets: rounded(many_wallets / floor),
    one_float: rounded(one_float / floor),
    many_floats: rounded(many_floats / floor),
  };
  return {
    settlements,
    merchants,
    per_s: figures,
    of_floor: of,
    targets: [atLeast(0.7, 'settlements into one wallet ÷ bare rows', of.one_wallet)],
    ...circumstances(now),
  };
}

export function hotText(report: HotReport): string {
  const { per_s: perSecond, of_floor: of, merchants } = report;
  const rows = table(
    ['', 'per second', 'of the floor'],
    [
      ['bare rows: the same, inserted and committed', perSecond.bare_rows, ''],
      ['deposits into one wallet', perSecond.one_wallet, of.one_wallet],
      [`deposits into ${merchants} wallets`, perSecond.many_wallets, of.many_wallets],
      ['payouts out of one float', perSecond.one_float, of.one_float],
      [`payouts out of ${merchants} floats`, perSecond.many_floats, of.many_floats],
    ],
  );
  return [
    headlineOf(report),
    `${report.settlements} settlements of each kind, booked by one process`,
    rows,
    targetsText(report.targets),
  ].join('\n\n');
}
