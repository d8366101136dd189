import type { SideFigures } from '../measures/side';
import { rounded } from '../measures/statistics';
import type { OverloadFigures } from '../ours/overload';
import type { SteadyFigures } from '../ours/steady';
import { circumstances, type Circumstances } from './circumstances';
import { atLeast, atMost, type Target } from './targets';

export interface Report extends SideFigures, Circumstances {
  bare: SideFigures;
  ratio: Ratio;
  /** Payments of other rails, by kind, beside the same bare workflow. What stands above is STK push. */
  rails: Record<string, SideFigures & { ratio: Ratio }>;
  steady_5_per_s: SteadyFigures;
  overload: OverloadFigures;
  /** In the database, over all payments of the run. */
  disk_bytes_per_payment: number;
  /** The simulated customer's time between the prompt and the callback; no figure contains it. */
  customer_ms: number;
  targets: Target[];
}

/** Ours divided by bare: more is better for `settled`, less for all else. */
export interface Ratio {
  settled: number;
  /** With one caller. */
  accept_p50: number;
  /** With twenty. */
  accept_p50_at_20: number;
  /** Processor time of all processes; absent where the system does not tell. */
  cpu_ms?: number;
}

export interface Measured {
  ours: SideFigures;
  bare: SideFigures;
  rails: Record<string, SideFigures>;
  steady: SteadyFigures;
  overload: OverloadFigures;
  diskBytes: number;
  customerMs: number;
}

export function ratioOf(ours: SideFigures, bare: SideFigures): Ratio {
  const [cpu, bareCpu] = [ours, bare].map((side) => side.cpu_ms_per_payment?.['total']);
  return {
    settled: rounded(ours.settled_per_s / bare.settled_per_s),
    accept_p50: rounded(ours.accept['1'].p50_ms / bare.accept['1'].p50_ms),
    accept_p50_at_20: rounded(ours.accept['20'].p50_ms / bare.accept['20'].p50_ms),
    ...(cpu !== undefined && bareCpu !== undefined && { cpu_ms: rounded(cpu / bareCpu) }),
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

/** Of `settled`, by kind of payment. */
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
    atMost(1.4, 'acceptance p50, one caller, ÷ bare', ratio.accept_p50),
    atMost(1.5, 'acceptance p50, 20 callers, ÷ bare', ratio.accept_p50_at_20),
    ...(ratio.cpu_ms === undefined ? [] : [atMost(1.4, 'processor time, ÷ bare', ratio.cpu_ms)]),
    atMost(18, 'history events', ours.events_per_payment),
    atMost(1_000, 'overload: acceptance p99 of what is let in, ms', overload.accept_ms.p99),
  ];
}
