import { wallClock } from '../domain/time';

/** Shows moments to operators in the deployment's zone. JSON has them in UTC. */
export function clockOf(timezone: string): (at: Date | null) => string {
  return (at) => (at ? wallClock(at, timezone) : '');
}

/** `45 s`, `12 min`, `5 h 3 min`, `3 d 4 h`: the two units that matter, rounded down. */
export function ageText(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min` : `${seconds} s`;
}
