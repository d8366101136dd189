/** A log for what anybody may cause as often as they like: a flood of refusals must fill no disk. */
import type { Log } from '../domain/log';

/** Of `info` and `warn` together; what goes wrong with us is always written. */
const linesPerSecond = 20;

/** Writes so many lines in each second, and later how many there were besides. */
export function sparingLog(log: Log, now: () => number = Date.now): Log {
  let second = 0;
  let lines = 0;
  let leftOut = 0;
  const sparing =
    (level: 'info' | 'warn'): Log['info'] =>
    (message, fields) => {
      const current = Math.floor(now() / 1_000);
      if (current !== second) {
        if (leftOut > 0) log.warn('refusals were not logged, as there were too many', { count: leftOut });
        [second, lines, leftOut] = [current, 0, 0];
      }
      lines += 1;
      if (lines > linesPerSecond) leftOut += 1;
      else log[level](message, fields);
    };
  return { ...log, info: sparing('info'), warn: sparing('warn') };
}
