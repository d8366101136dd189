import { inWordsOfToday } from '../../src/ops/cli/former-words';

const told = (before: string, now: string) =>
  `${before} is ${now} here, and will not be understood by the next version.`;

describe('what a command was told in the version before', () => {
  it.each([
    [['release', '1', '--note', 'x', '--by', 'amina'], ['release', '1', '--note', 'x', '--as', 'amina'], 1],
    [['stop', 'payouts', '--by=amina'], ['stop', 'payouts', '--as=amina'], 1],
    [['start', 'payouts', '--by', 'amina'], ['start', 'payouts', '--as', 'amina'], 1],
    [
      ['case', 'resolve', '5', '--as', 'paid', '--amount', '1', '--by', 'amina'],
      ['case', 'resolve', '5', '--outcome', 'paid', '--amount', '1', '--as', 'amina'],
      2,
    ],
    [['case', 'resolve', '5', '--as=failed'], ['case', 'resolve', '5', '--outcome=failed'], 1],
  ])('%j is understood as %j', (before, now, warnings) => {
    const { words, warnings: given } = inWordsOfToday(before);
    expect(words).toEqual(now);
    expect(given).toHaveLength(warnings);
  });

  it('is told to whoever says it', () => {
    const { warnings } = inWordsOfToday(['case', 'resolve', '5', '--as', 'paid', '--by', 'amina']);
    expect(warnings).toEqual([told('--as', '--outcome'), told('--by', '--as')]);
  });

  it.each([
    [['case', 'resolve', '5', '--outcome', 'paid', '--as', 'paid']],
    [['case', 'resolve', '5', '--as', 'amina']],
    [['audit', '--by', 'amina']],
    [['float', 'add', '--as', 'paid']],
  ])('is not read into %j', (words) => {
    expect(inWordsOfToday(words)).toEqual({ words, warnings: [] });
  });
});
