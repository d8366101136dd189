import {
  compactMoment,
  compactWallClock,
  dayIn,
  startOfDay,
  timestamps,
  wallClock,
} from '../../../src/domain/time';

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

describe('a time without a zone', () => {
  it.each(['Africa/Nairobi', 'UTC', 'Asia/Kathmandu'])(
    'of %s has the moment that it is beside it',
    (zone) => {
      expect(timestamps(newYearInLondon, zone)).toEqual({
        timestamp: wallClock(newYearInLondon, zone),
        timestamp_utc: '2026-01-01T00:30:15.987Z',
      });
    },
  );

  it("of the provider's is the moment that it names there, and none where it is no time", () => {
    expect(compactMoment('20260101033015', 'Africa/Nairobi')?.toISOString()).toBe('2026-01-01T00:30:15.000Z');
    expect(
      ['', '2026', '20261301000000', 'yesterday'].map((text) => compactMoment(text, 'Africa/Nairobi')),
    ).toEqual(Array.from({ length: 4 }, () => undefined));
  });
});

describe('a day of a zone', () => {
  it('begins at its midnight, and where the clocks go forward then at the first moment that it has', () => {
    expect(startOfDay('2026-01-01', 'Asia/Kathmandu').toISOString()).toBe('2025-12-31T18:15:00.000Z');
    expect(startOfDay('2026-04-24', 'Africa/Cairo').toISOString()).toBe('2026-04-23T22:00:00.000Z');
    expect(dayIn('Pacific/Kiritimati', newYearInLondon)).toBe('2026-01-01');
    expect(dayIn('Pacific/Pago_Pago', newYearInLondon)).toBe('2025-12-31');
  });
});
