/**
 * An activity without a free place is retried ever later, so that thousands that wait for a few places do not keep the
 * queue busy.
 */
import { createActivities, type ActivityDependencies } from '../../../activities';
import { currentAttempt, noteAttempt } from '../../../src/worker/activity-attempt';

const { activities } = createActivities({
  ...({ context: { creationTimeoutMs: 20_000 } } as ActivityDependencies),
  places: { initiations: 0, initiationsInTask: 0, reviews: 0, quickReviews: 0 },
  attempt: currentAttempt,
});
const { submitToProvider, cancelAtProvider } = activities;

/** The delay in milliseconds after the n-th attempt of an activity. */
async function delayOf(
  attempt: number,
  activity: typeof submitToProvider | typeof cancelAtProvider,
): Promise<number> {
  const { inbound } = noteAttempt({ info: { attempt } } as Parameters<typeof noteAttempt>[0]);
  const execute = () => activity({ paymentId: 'p', rail: 'momo', patient: true });
  const busy: unknown = await inbound?.execute?.({} as never, execute).catch((error: unknown) => error);
  expect(busy).toMatchObject({ type: 'BUSY' });
  return (busy as { nextRetryDelay: number }).nextRetryDelay;
}

it.each([
  ['the first time', 1, 500],
  ['the fourth time', 4, 2_000],
  ['the twentieth time', 20, 10_000],
  ['the thousandth time', 1_000, 10_000],
])('%s it waits about this long, and not as long as the others', async (_when, attempt, aboutMs) => {
  const calls = Array.from({ length: 50 }, (_, n) =>
    delayOf(attempt, n % 2 ? submitToProvider : cancelAtProvider),
  );
  const delays = await Promise.all(calls);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(aboutMs * 0.5);
  expect(Math.max(...delays)).toBeLessThanOrEqual(aboutMs * 1.5);
  expect(new Set(delays).size).toBeGreaterThan(1);
});

it.each([
  ['when it was scheduled', 0, 1],
  ['later, because it is retried now', 60_000, 2],
])(
  'what Temporal counts as the first attempt, started %s, has the right number',
  async (_when, laterMs, nth) => {
    const scheduledTimestampMs = 1_700_000_000_000;
    const times = {
      scheduledTimestampMs,
      currentAttemptScheduledTimestampMs: scheduledTimestampMs + laterMs,
    };
    const { inbound } = noteAttempt({ info: { attempt: 1, ...times } } as Parameters<typeof noteAttempt>[0]);
    const next = () => Promise.resolve(currentAttempt());
    expect(await inbound?.execute?.({} as never, next)).toBe(nth);
  },
);
