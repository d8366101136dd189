import { countOf, type Chaos } from './chaos';

const inWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([word, count]) => `${word} ${String(count)}`)
    .join(', ') || 'none';

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
      `at rest after ${(convergedMs / 1_000).toFixed(1)} s, ${String(violations.length)} violations`,
  ];
}
