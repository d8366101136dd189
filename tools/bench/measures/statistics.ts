import type { Sample } from '../load/payment';

export interface Percentiles {
  p50_ms: number;
  p99_ms: number;
}

/** The smallest value that `share` of all values do not exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('there is nothing to take a percentile of');
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

export function percentiles(values: readonly number[]): Percentiles {
  return { p50_ms: rounded(percentile(values, 0.5)), p99_ms: rounded(percentile(values, 0.99)) };
}

export function acceptanceMs(samples: readonly Sample[]): number[] {
  return samples.map(({ startedAt, acceptedAt }) => acceptedAt - startedAt);
}

export interface Throughput {
  payments: number;
  ms: number;
}

/**
 * How much a closed loop finished while it was full: the first payments, which meet empty queues, and the last ones,
 * which leave them, are not counted.
 */
export function fullThroughput(samples: readonly Sample[], concurrency: number): Throughput {
  const finished = samples.map(({ finishedAt }) => finishedAt).sort((a, b) => a - b);
  const full = finished.slice(concurrency, finished.length - concurrency);
  const [first, last] = [full[0], full.at(-1)];
  if (first === undefined || last === undefined || last <= first) {
    throw new Error(`${samples.length} payments are too few for a loop of ${concurrency}`);
  }
  // Between the first and the last of n moments lie n - 1 payments.
  return { payments: full.length - 1, ms: last - first };
}

export function perSecond(parts: readonly Throughput[]): number {
  const payments = sum(parts.map((part) => part.payments));
  return rounded((payments * 1_000) / sum(parts.map((part) => part.ms)));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Two decimals: what follows is noise, and would only be compared. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
