import { verdicts } from './decide-case';

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

function isOption(word: string, option: string): boolean {
  return word === option || word.startsWith(`${option}=`);
}
