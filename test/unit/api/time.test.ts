import { compactWallClock, wallClock } from '../../../src/domain/time';

describe('wall-clock texts', () => {
  const newYear = new Date('2025-12-31T21:00:05Z');

  it('have the time of the zone, not of the machine', () => {
    expect(wallClock(newYear, 'Africa/Nairobi')).toBe('2026-01-01 00:00:05');
    expect(wallClock(newYear, 'UTC')).toBe('2025-12-31 21:00:05');
  });

  it('have a form without separators', () => {
    expect(compactWallClock(newYear, 'Africa/Nairobi')).toBe('20260101000005');
  });

  it('fail for a zone that does not exist', () => {
    expect(() => wallClock(newYear, 'Africa/Atlantis')).toThrow(
      'no wall clock in the zone "Africa/Atlantis"',
    );
  });
});
