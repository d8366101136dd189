import { compactWallClock, wallClock } from '../../src/domain/time';

const newYearInLondon = new Date('2026-01-01T00:30:15.987Z');

describe('the wall clock', () => {
  it('shows the time of its zone, to the second', () => {
    expect(wallClock(newYearInLondon, 'Africa/Nairobi')).toBe('2026-01-01 03:30:15');
    expect(compactWallClock(newYearInLondon, 'Africa/Nairobi')).toBe('20260101033015');
  });

  it('shows another day where it is still yesterday', () => {
    expect(wallClock(newYearInLondon, 'America/New_York')).toBe('2025-12-31 19:30:15');
  });

  it('shows midnight as 00 and a leap day as itself', () => {
    expect(wallClock(new Date('2028-02-28T21:00:00Z'), 'Africa/Nairobi')).toBe('2028-02-29 00:00:00');
    expect(compactWallClock(new Date('2028-02-28T21:00:00Z'), 'Africa/Nairobi')).toBe('20280229000000');
  });

  it('follows summer time where there is one', () => {
    expect(wallClock(new Date('2026-07-01T12:00:00Z'), 'Europe/London')).toBe('2026-07-01 13:00:00');
  });

  it('refuses a zone that does not exist', () => {
    expect(() => wallClock(newYearInLondon, 'Africa/Atlantis')).toThrow(
      'no wall clock in the zone "Africa/Atlantis"',
    );
  });
});
