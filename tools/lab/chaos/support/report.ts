import { percentile } from '../../../bench/measures/statistics';
import type { SeedResult } from './results';
import type { Recovery } from './recovery';

const most = (counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).sort(([, one], [, other]) => other - one);

const inWords = (counts: Record<string, number>): string =>
  most(counts)
    .map(([word, count]) => `${word} ${String(count)}`)
    .join(', ') || 'none';

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
const all = (counts: Record<string, number>): number => sum(Object.values(counts));

function together(counts: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const each of counts)
    for (const [word, count] of Object.entries(each)) total[word] = (total[word] ?? 0) + count;
  return total;
}

const inSeconds = (ms: number): string => (ms / 1_000).toFixed(1);

/** The result of one seed, in lines. */
export function reportOf(result: SeedResult): string[] {
  const { seed, operations, taken, refused, faults, payments, asked, convergedMs, violations } = result;
  const rest = convergedMs === undefined ? 'never at rest' : `at rest after ${inSeconds(convergedMs)} s`;
  return [
    ...violations.map((fault) => `✗ ${fault}`),
    `operations: ${inWords(operations)}`,
    `faults: ${inWords(faults)}`,
    `payments: ${inWords(payments)}; cases: ${inWords(asked)}`,
    `seed ${String(seed)}: ${String(all(operations))} operations, ${String(taken)} accepted, ${String(refused)} rejected, ` +
      `${String(all(operations) - taken - refused)} not started or not answered, ${String(all(faults))} faults, ` +
      `${rest}, ${String(violations.length)} violations`,
  ];
}

/** The result of all seeds together. */
export function summaryOf(results: readonly SeedResult[]): string[] {
  const recoveries = results.flatMap((result) => result.recoveries);
  const rests = results.flatMap(({ convergedMs }) => convergedMs ?? []);
  const count = (of: (result: SeedResult) => number): string => String(sum(results.map(of)));
  const resting =
    rests.length === 0
      ? 'never at rest'
      : `at rest after p50 ${inSeconds(percentile(rests, 0.5))} s, at most ${inSeconds(Math.max(...rests))} s`;
  return [
    'fault, how often; seconds after its end until a request was accepted p50, p99, and a payment ended p50, p99:',
    ...most(together(results.map(({ faults }) => faults))).map(
      ([kind, often]) => `${kind}, ${String(often)}; ${timesOf(recoveries, kind)}`,
    ),
    `cases: ${inWords(together(results.map(({ asked }) => asked)))}`,
    `${String(results.length)} seeds, ${count(({ minutes }) => minutes)} min with faults: ` +
      `${count(({ operations }) => all(operations))} operations, ${count(({ payments }) => all(payments))} payments, ` +
      `${count(({ faults }) => all(faults))} faults, ${resting}, ` +
      `${count(({ violations }) => violations.length)} violations in ` +
      `${count(({ violations }) => Math.min(1, violations.length))} seeds`,
  ];
}

function timesOf(recoveries: readonly Recovery[], kind: string): string {
  const of = recoveries.filter((one) => one.kind === kind);
  const both = [of.map(({ acceptedMs }) => acceptedMs), of.map(({ endedMs }) => endedMs)];
  return both
    .map((times) => times.filter((ms) => ms !== undefined))
    .map((times) =>
      times.length === 0 ? '-' : [0.5, 0.99].map((share) => inSeconds(percentile(times, share))).join(', '),
    )
    .join(', ');
}
