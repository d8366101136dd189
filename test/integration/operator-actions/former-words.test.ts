import { inWordsOfToday, refuseOutcomeAsName } from '../../../src/cli/former-words';
import { openCase } from '../../../src/controls/cases';
import { insertPayment } from '../../support/store/rows';
import { createTestCli } from '../../support/cli/cli-support';

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

  it.each(['Failed', 'PAID', 'refunded', 'Succeeded'])('is no name where it is %s', (word) => {
    expect(() => {
      refuseOutcomeAsName(word);
    }).toThrow(`${word} names what became of a payment: that is --outcome (paid, failed, returned)`);
    expect(() => {
      refuseOutcomeAsName('amina');
    }).not.toThrow();
  });

  it('closes no case for a verdict in letters that were never understood', async () => {
    const cli = await createTestCli();
    try {
      await openCase(cli.db, await insertPayment(cli.db), { reason: 'success_unconfirmed', detail: 'x' });
      const found = await cli.db('cases').first();
      const resolve = ['case', 'resolve', found?.case_id ?? '', '--note', 'x', '--as'];
      expect((await cli.run(...resolve, 'Failed')).code).toBe(2);
      expect(await cli.db('cases').first()).toMatchObject({ closed_at: null });
      expect((await cli.run(...resolve, 'amina')).code).toBe(0);
    } finally {
      await cli.drop();
    }
  });
});
