/** How the command line reads times. */
import { readSince } from '../../../src/cli/parse';

describe('a time since when', () => {
  it.each([
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28T10:00:00+03:00', '2026-02-28T07:00:00.000Z'],
  ])('is read from %s', (text, moment) => {
    expect(readSince(text).toISOString()).toBe(moment);
  });

  it('is a duration back from now', () => {
    expect(Math.abs(Date.now() - 7_200_000 - readSince('2h').getTime())).toBeLessThan(60_000);
  });

  it.each(['2026-02-30', '2026-02-30T10:00:00Z', '2026-13-01', '2026-02-28T25:00:00Z'])(
    'is refused where it does not exist: %s',
    (text) => {
      expect(() => readSince(text)).toThrow('is not a time');
    },
  );
});
