import type { SideFigures } from '../measures/side';
import { rounded } from '../measures/statistics';
import type { OverloadFigures } from '../ours/overload';
import type { SteadyFigures } from '../ours/steady';
import { circumstances, type Circumstances } from './circumstances';

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
}

/** Ours divided by bare: more is better for `settled`, less for `accept_p50`. */
export interface Ratio {
  settled: number;
  accept_p50: number;
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
  return {
    settled: rounded(ours.settled_per_s / bare.settled_per_s),
    accept_p50: rounded(ours.accept['1'].p50_ms / bare.accept['1'].p50_ms),
  };
}

export function reportOf(measured: Measured, now = new Date()): Report {
  const { ours, bare, rails, steady, overload, diskBytes, customerMs } = measured;
  return {
    ...ours,
    bare,
    ratio: ratioOf(ours, bare),
    rails: Object.fromEntries(
      Object.entries(rails).map(([kind, figures]) => [kind, { ...figures, ratio: ratioOf(figures, bare) }]),
    ),
    steady_5_per_s: steady,
    overload,
    disk_bytes_per_payment: diskBytes,
    customer_ms: customerMs,
    ...circumstances(now),
  };
}
