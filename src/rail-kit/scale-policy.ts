import type { Durations } from './in-doubt';

/** How late a look may be before the sweeper sees to it. A slow machine is not hurried below the least. */
const lookGraceMs = 60_000;
const leastGraceMs = 15_000;

/** A rail's durations as the sandbox runs them: divided by its time scale, which is 1 in live. */
export function scalePolicy(policy: Durations, timeScale: number): Durations {
  const scale = (ms: number) => Math.max(1, Math.round(ms / timeScale));
  const { unknownDeadlineMs, queuedMaxMs, remindersMs, afterSuccessChecksMs, afterWarningChecksMs } = policy;
  return {
    checksMs: policy.checksMs.map(scale),
    rechecksMs: policy.rechecksMs.map(scale),
    watchMs: scale(policy.watchMs),
    confirmDelaysMs: policy.confirmDelaysMs.map(scale),
    lookGraceMs: Math.max(leastGraceMs, scale(lookGraceMs)),
    ...(unknownDeadlineMs === undefined ? {} : { unknownDeadlineMs: scale(unknownDeadlineMs) }),
    ...(queuedMaxMs === undefined ? {} : { queuedMaxMs: scale(queuedMaxMs) }),
    ...(remindersMs === undefined ? {} : { remindersMs: remindersMs.map(scale) }),
    ...(afterSuccessChecksMs === undefined ? {} : { afterSuccessChecksMs: afterSuccessChecksMs.map(scale) }),
    ...(afterWarningChecksMs === undefined ? {} : { afterWarningChecksMs: afterWarningChecksMs.map(scale) }),
  };
}
