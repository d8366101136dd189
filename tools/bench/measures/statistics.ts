import type { Sample } from '../load/payment';

export interface Percentiles {
  p50_ms: number;
  p99_ms: number;
}

/** The smallest value that a `share` of all values does not exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('there are no values for a percentile');
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

export function percentiles(values: readonly number[]): Percentiles {
  return { p50_ms: rounded(percentile(values, 0.5)), p99_ms: rounded(percentile(values, 0.99)) };
}

export function creationMs(samples: readonly Sample[]): number[] {
  return samples.map(({ startedAt, acceptedAt }) => acceptedAt - startedAt);
}

export interface Throughput {
  payments: number;
  ms: number;
}

/** The throughput of a full closed loop, without its first payments, which meet empty queues, and its last ones. */
export function fullThroughput(samples: readonly Sample[], concurrency: number): Throughput {
  const finished = samples.map(({ finishedAt }) => finishedAt).sort((a, b) => a - b);
  const full = finished.slice(concurrency, finished.length - concurrency);
  const [first, last] = [full[0], full.at(-1)];
  if (first === undefined || last === undefined || last <= first) {
    throw new Error(`${samples.length} payments are too few for a loop of ${concurrency}`);
  }
  // Between the first and the last of n times are n - 1 payments.
  return { payments: full.length - 1, ms: last - first };
}

export function perSecond(parts: readonly Throughput[]): number {
  const payments = sum(parts.map((part) => part.payments));
  return rounded((payments * 1_000) / sum(parts.map((part) => part.ms)));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The middle one; of an even number, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Two decimals: the rest is noise. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
