import { dayAfter, dayBefore, isDay, startOf, utcDay } from '../../../src/ledger/utc-days';

describe('a day', () => {
  it('is the UTC day of a moment, and begins at midnight UTC', () => {
    expect(utcDay(new Date('2026-01-31T23:59:59.999Z'))).toBe('2026-01-31');
    expect(startOf('2026-02-01')).toEqual(new Date(Date.UTC(2026, 1, 1)));
  });

  it.each([
    ['2026-01-31', '2026-02-01'],
    ['2026-12-31', '2027-01-01'],
    ['2026-02-28', '2026-03-01'],
    ['2024-02-28', '2024-02-29'],
  ])('%s is followed by %s', (one, next) => {
    expect([dayAfter(one), dayBefore(next)]).toEqual([next, one]);
  });

  it.each(['2026-01-31', '2024-02-29'])('%s is a day', (text) => {
    expect(isDay(text)).toBe(true);
  });

  // The last text is a month of the year 12026, which no date may be longer than.
  it.each(['', '2026', '2026-1-31', '26-01-31', '2026-02-29', '2026-13-01', '2026-01-31x', '+012026-01'])(
    'is none: %j',
    (text) => {
      expect(isDay(text)).toBe(false);
    },
  );
});
