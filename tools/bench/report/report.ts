import type { RoundFigures, SideFigures } from '../measures/side';
import { median, rounded } from '../measures/statistics';
import type { OverloadFigures } from '../ours/overload';
import type { SteadyFigures } from '../ours/steady';
import { circumstances, type Circumstances } from './circumstances';
import { atLeast, atMost, type Target } from './targets';

export interface Report extends SideFigures, Circumstances {
  bare: SideFigures;
  ratio: Ratio;
  /** Payments of other rails, by kind, compared with the same bare workflow. The main results are for STK push. */
  rails: Record<string, SideFigures & { ratio: Ratio }>;
  steady_5_per_s: SteadyFigures;
  overload: OverloadFigures;
  /** In the database, over all payments of the run. */
  disk_bytes_per_payment: number;
  /** The simulated customer's time between the prompt and the notification; no result contains it. */
  customer_ms: number;
  targets: Target[];
}

/**
 * Ours divided by bare in the same round: the median of the rounds. More is better for `settled`, less for all others.
 * `cpu_ms` is absent if the system does not report it.
 */
export type Ratio = RoundFigures & {
  /** The least and the most of the rounds: a difference within it is none. */
  spread: Partial<Record<keyof RoundFigures, [least: number, most: number]>>;
};

export interface Measured {
  ours: SideFigures;
  bare: SideFigures;
  rails: Record<string, SideFigures>;
  steady: SteadyFigures;
  overload: OverloadFigures;
  diskBytes: number;
  customerMs: number;
}

export function ratioOf(ours: Pick<SideFigures, 'rounds'>, bare: Pick<SideFigures, 'rounds'>): Ratio {
  const ratios = (name: keyof RoundFigures) =>
    ours.rounds.flatMap((round, n) => {
      const [mine, theirs] = [round[name], bare.rounds[n]?.[name]];
      return mine === undefined || theirs === undefined ? [] : [rounded(mine / theirs)];
    });
  const names = ['settled', 'accept_p50', 'accept_p50_at_20', 'cpu_ms'] as const;
  const measured = names.map((name) => [name, ratios(name)] as const).filter(([, each]) => each.length > 0);
  return {
    ...(Object.fromEntries(measured.map(([name, each]) => [name, median(each)])) as unknown as RoundFigures),
    spread: Object.fromEntries(
      measured.map(([name, each]) => [name, [Math.min(...each), Math.max(...each)]]),
    ),
  };
}

export function reportOf(measured: Measured, now = new Date()): Report {
  const { ours, bare, rails: kinds, steady, overload, diskBytes, customerMs } = measured;
  const ratio = ratioOf(ours, bare);
  const rails = Object.fromEntries(
    Object.entries(kinds).map(([kind, figures]) => [kind, { ...figures, ratio: ratioOf(figures, bare) }]),
  );
  return {
    ...ours,
    bare,
    ratio,
    rails,
    steady_5_per_s: steady,
    overload,
    disk_bytes_per_payment: diskBytes,
    customer_ms: customerMs,
    targets: targetsOf(measured, ratio, rails),
    ...circumstances(now),
  };
}

/** Targets of `settled`, by kind of payment. */
const settledAims: Record<string, number> = { momo_deposit: 0.85, momo_payout: 0.75 };

function targetsOf(
  { ours, overload }: Measured,
  ratio: Ratio,
  rails: Record<string, { ratio: Ratio }>,
): Target[] {
  return [
    atLeast(0.85, 'STK push: settled per second, of bare', ratio.settled),
    ...Object.entries(rails).map(
      ([
        kind,
        {
          ratio: { settled },
        },
      ]) =>
        atLeast(
          settledAims[kind] ?? 0.85,
          `${kind.replaceAll('_', ' ')}: settled per second, of bare`,
          settled,
        ),
    ),
    atMost(1.4, 'create p50, one caller, ÷ bare', ratio.accept_p50),
    atMost(1.5, 'create p50, 20 callers, ÷ bare', ratio.accept_p50_at_20),
    ...(ratio.cpu_ms === undefined ? [] : [atMost(1.4, 'processor time, ÷ bare', ratio.cpu_ms)]),
    atMost(18, 'history events', ours.events_per_payment),
    atMost(1_000, 'overload: create p99 of accepted requests, ms', overload.accept_ms.p99),
  ];
}
