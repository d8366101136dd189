import {
  compactMoment,
  compactWallClock,
  dayIn,
  startOfDay,
  timestamps,
  wallClock,
  wallClockWithOffset,
} from '../../../src/domain/time';

const newYearInLondon = new Date('2026-01-01T00:30:15.987Z');

describe('the wall clock', () => {
  it('shows the time of its zone, to the second', () => {
    expect(wallClock(newYearInLondon, 'Africa/Nairobi')).toBe('2026-01-01 03:30:15');
    expect(compactWallClock(newYearInLondon, 'Africa/Nairobi')).toBe('20260101033015');
  });

  it('shows another day if it is still yesterday there', () => {
    expect(wallClock(newYearInLondon, 'America/New_York')).toBe('2025-12-31 19:30:15');
  });

  it('shows midnight as 00 and a leap day unchanged', () => {
    expect(wallClock(new Date('2028-02-28T21:00:00Z'), 'Africa/Nairobi')).toBe('2028-02-29 00:00:00');
    expect(compactWallClock(new Date('2028-02-28T21:00:00Z'), 'Africa/Nairobi')).toBe('20280229000000');
  });

  it('follows summer time', () => {
    expect(wallClock(new Date('2026-07-01T12:00:00Z'), 'Europe/London')).toBe('2026-07-01 13:00:00');
  });

  it('has an offset where the reader may be elsewhere', () => {
    const shown = (zone: string) => wallClockWithOffset(newYearInLondon, zone);
    expect(shown('Africa/Nairobi')).toBe('2026-01-01 03:30:15 +03:00');
    expect(shown('America/New_York')).toBe('2025-12-31 19:30:15 -05:00');
    expect(shown('UTC')).toBe('2026-01-01 00:30:15 +00:00');
  });

  it('rejects an unknown zone', () => {
    expect(() => wallClock(newYearInLondon, 'Africa/Atlantis')).toThrow(
      'no wall clock in the zone "Africa/Atlantis"',
    );
  });
});

describe('a time without a zone', () => {
  it.each(['Africa/Nairobi', 'UTC', 'Asia/Kathmandu'])('of %s is the given instant', (zone) => {
    expect(timestamps(newYearInLondon, zone)).toEqual({
      timestamp: wallClock(newYearInLondon, zone),
      timestamp_utc: '2026-01-01T00:30:15.987Z',
    });
  });

  it('of the provider is an instant, or undefined if it is not a time', () => {
    expect(compactMoment('20260101033015', 'Africa/Nairobi')?.toISOString()).toBe('2026-01-01T00:30:15.000Z');
    expect(
      ['', '2026', '20261301000000', 'yesterday'].map((text) => compactMoment(text, 'Africa/Nairobi')),
    ).toEqual(Array.from({ length: 4 }, () => undefined));
  });
});

describe('a day of a zone', () => {
  it('starts at its midnight, or after a clock change at its first existing time', () => {
    expect(startOfDay('2026-01-01', 'Asia/Kathmandu').toISOString()).toBe('2025-12-31T18:15:00.000Z');
    expect(startOfDay('2026-04-24', 'Africa/Cairo').toISOString()).toBe('2026-04-23T22:00:00.000Z');
    expect(dayIn('Pacific/Kiritimati', newYearInLondon)).toBe('2026-01-01');
    expect(dayIn('Pacific/Pago_Pago', newYearInLondon)).toBe('2025-12-31');
  });
});
