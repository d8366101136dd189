import { slopePerHour, type Sample } from './samples';
import type { Soaked } from './soak';

const rounded = (value: number): string => value.toFixed(Math.abs(value) < 10 ? 2 : 0);
const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

/** The first and the last fifth of a run, and the growth per hour. */
function lineOf(name: string, samples: readonly Sample[]): string[] {
  const points = samples.flatMap(({ atMs, values }) => {
    const value = values[name];
    return value === undefined || Number.isNaN(value) ? [] : [{ atMs, value }];
  });
  const some = Math.max(1, Math.floor(points.length / 5));
  const [first, last] = [points.slice(0, some), points.slice(-some)].map((part) =>
    mean(part.map(({ value }) => value)),
  ) as [number, number];
  // Of the tables, those that grow.
  const isTable = name.startsWith('rows of');
  if (points.length === 0 || (isTable && Math.round(first) === Math.round(last))) return [];
  const slope = slopePerHour(points);
  const reported = [first, last, slope].map((value) => rounded(value).padStart(10));
  return [`${name.padEnd(40)} ${reported.join(' ')}`];
}

export function reportOf({ samples, done, failed, accepted, growth, violations }: Soaked): string[] {
  const names = [...new Set(samples.flatMap(({ values }) => Object.keys(values)))];
  const minutes = (samples.at(-1)?.atMs ?? 0) / 60_000;
  return [
    `${' '.repeat(40)} ${['at first', 'at last', 'per hour'].map((word) => word.padStart(10)).join(' ')}`,
    ...names.flatMap((name) => lineOf(name, samples)),
    ...growth,
    ...Object.entries(done).map(([name, count]) => `${name}: ${String(count)}`),
    ...[...failed, ...violations].map((line) => `✗ ${line}`),
    `${minutes.toFixed(0)} min, ${String(accepted)} operations accepted, ${String(samples.length)} samples, ` +
      `${String(failed.length)} jobs failed, ${String(violations.length)} violations`,
  ];
}
