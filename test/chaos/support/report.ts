import { percentile } from '../../../bench/measures/statistics';
import { countOf, type Chaos } from './chaos';
import type { Recovery } from './recovery';

const inWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([word, count]) => `${word} ${String(count)}`)
    .join(', ') || 'none';

const inSeconds = (ms: number): string => (ms / 1_000).toFixed(1);

/** What came of one seed, in lines. */
export function reportOf(
  seed: number,
  { shopped, struck, convergedMs, payments, asked, violations }: Chaos,
): string[] {
  const told = shopped.filter(({ id }) => id !== undefined).length;
  const refused = shopped.filter(({ refused: why }) => why !== undefined).length;
  return [
    ...violations.map((fault) => `✗ ${fault}`),
    `operations: ${inWords(countOf(shopped.map(({ operation }) => operation)))}`,
    `faults: ${inWords(countOf(struck.map(({ kind }) => kind)))}`,
    `payments: ${inWords(payments)}; a person is asked: ${inWords(asked)}`,
    `seed ${String(seed)}: ${String(shopped.length)} operations, ${String(told)} taken, ${String(refused)} refused, ` +
      `${String(shopped.length - told - refused)} not begun, ${String(struck.length)} faults, ` +
      `at rest after ${inSeconds(convergedMs)} s, ${String(violations.length)} violations`,
  ];
}

/** What came of all seeds together. */
export function summaryOf(runs: readonly Chaos[], minutes: number): string[] {
  const struck = runs.flatMap((run) => run.struck);
  const recoveries = runs.flatMap((run) => run.recoveries);
  const rests = runs.map(({ convergedMs }) => convergedMs);
  const sum = (of: (run: Chaos) => number): string => String(runs.reduce((total, run) => total + of(run), 0));
  return [
    'fault, how often; seconds after it was over until a request was accepted p50, p99, and a payment ended p50, p99:',
    ...Object.entries(countOf(struck.map(({ kind }) => kind)))
      .sort(([, one], [, other]) => other - one)
      .map(([kind, count]) => `${kind}, ${String(count)}; ${timesOf(recoveries, kind)}`),
    `${String(runs.length)} seeds of ${String(minutes)} min: ${sum((run) => run.shopped.length)} operations, ` +
      `${sum((run) => Object.values(run.payments).reduce((all, count) => all + count, 0))} payments, ` +
      `${String(struck.length)} faults, at rest after p50 ${inSeconds(percentile(rests, 0.5))} s, ` +
      `at most ${inSeconds(Math.max(...rests))} s, ${sum((run) => run.violations.length)} violations`,
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
