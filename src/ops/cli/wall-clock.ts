import { wallClock } from '../../domain/time';

/** Shows moments to operators in the deployment's zone. JSON has them in UTC. */
export function clockOf(timezone: string): (at: Date | null) => string {
  return (at) => (at ? wallClock(at, timezone) : '');
}
