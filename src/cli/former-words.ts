import { paymentStates } from '../domain/payment';
import { verdicts } from './decide-case';
import { UsageError } from './refusal';

/** What has taken the name of whoever does it with `--by`, before `--as` was that everywhere. */
const tookBy = new Set(['case resolve', 'stop payouts', 'start payouts', 'release']);

/**
 * Options as they were called in the version before are understood in this one: a runbook in somebody's drawer works.
 * @returns the words of today, and what to tell about the others.
 */
export function inWordsOfToday(argv: readonly string[]): { words: string[]; warnings: string[] } {
  const path = argv[0] === 'release' ? 'release' : argv.slice(0, 2).join(' ');
  if (!tookBy.has(path)) return { words: [...argv], warnings: [] };
  const warnings = new Set<string>();
  const saysOutcome = path === 'case resolve' && !argv.some((word) => isOption(word, '--outcome'));
  const words = argv.map((word, n) => {
    const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : argv[n + 1];
    const isVerdict = verdicts.some((verdict) => verdict === value);
    const now = isOption(word, '--by')
      ? '--as'
      : saysOutcome && isVerdict && isOption(word, '--as')
        ? '--outcome'
        : undefined;
    if (now === undefined) return word;
    const [before = ''] = word.split('=', 1);
    warnings.add(`${before} is ${now} here, and will not be understood by the next version.`);
    return `${now}${word.slice(before.length)}`;
  });
  return { words, warnings: [...warnings] };
}

const outcomes = new Set<string>([...verdicts, ...paymentStates]);

/**
 * A verdict in other letters, or another state, was never understood as `--as <verdict>`. Taken for a name it would close
 * the case and decide nothing.
 * @throws UsageError
 */
export function refuseOutcomeAsName(name: string | undefined): void {
  if (name === undefined || !outcomes.has(name.trim().toLowerCase())) return;
  throw new UsageError(
    `--as names who does this, and ${name} names what became of a payment: that is --outcome (${verdicts.join(', ')}).`,
  );
}

function isOption(word: string, option: string): boolean {
  return word === option || word.startsWith(`${option}=`);
}
