/** The first try of a webhook within a workflow task: what is not settled there goes on in an activity of its own. */
import { createActivities } from '../../../activities';
import type { HowToDeliver } from '../../../src/webhooks/bulkheads';
import type { DeliveryOutcome } from '../../../src/webhooks/deliver';

interface Sent {
  how: HowToDeliver | undefined;
  end(outcome: DeliveryOutcome | Error): void;
}

function aProcess({ inTaskMs, attempt = 1 }: { inTaskMs?: number; attempt?: number } = { inTaskMs: 60_000 }) {
  const sent: Sent[] = [];
  const observed: string[] = [];
  const deliver = (_webhookId: string, how?: HowToDeliver) =>
    new Promise<DeliveryOutcome>((resolve, reject) => {
      sent.push({ how, end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)) });
    });
  const { activities, idle } = createActivities({
    context: undefined as never,
    deliverer: { deliver, close: () => Promise.resolve() },
    observeDelivery: (kind) => observed.push(kind),
    places: { initiations: 0, initiationsInTask: 0, reviews: 0, quickReviews: 0 },
    ...(inTaskMs !== undefined && { inTaskMs: { provider: 0, merchant: inTaskMs } }),
    attempt: () => attempt,
  });
  const end = (outcome: DeliveryOutcome | Error) => sent.at(-1)?.end(outcome);
  return { ...activities, idle, sent, observed, end };
}

const webhookId = 'w';

it.each(['delivered', 'dead', 'unaddressed', 'already_settled'] as const)(
  'a webhook that is %s is settled there',
  async (kind) => {
    const process = aProcess();
    const told = process.deliverInTask({ webhookId });
    process.end({ kind });
    expect(await told).toBe('settled');
    expect(process.sent.map(({ how }) => how)).toEqual([{ isAwaited: true }]);
    expect(process.observed).toEqual([kind]);
  },
);

it('one that finds no place is for an activity of its own, at once', async () => {
  const process = aProcess();
  const told = process.deliverInTask({ webhookId });
  process.end({ kind: 'busy', delayMs: 700 });
  expect(await told).toEqual({ afterMs: 0 });
  const aside = process.deliverWebhook({ webhookId, postponed: { afterMs: 0 } });
  process.end({ kind: 'delivered' });
  await aside;
  expect(process.sent.map(({ how }) => how)).toEqual([{ isAwaited: true }, { isNew: true }]);
});

it('one that its merchant did not take is tried again when it is time, and not before', async () => {
  const process = aProcess();
  const told = process.deliverInTask({ webhookId });
  process.end({ kind: 'retry', delayMs: 10_000 });
  const postponed = { afterMs: 10_000, why: 'the merchant did not take it' };
  expect(await told).toEqual(postponed);
  await expect(process.deliverWebhook({ webhookId, postponed })).rejects.toMatchObject({
    type: 'NOT_DELIVERED',
    message: 'the merchant did not take it',
    nextRetryDelay: 10_000,
  });
  expect(process.sent).toHaveLength(1);
  const later = aProcess({ inTaskMs: 60_000, attempt: 2 });
  const again = later.deliverWebhook({ webhookId, postponed });
  later.end({ kind: 'delivered' });
  await again;
  expect(later.sent).toHaveLength(1);
});

it('one that takes longer than a task may is waited for by the activity that takes over, and sent once', async () => {
  const process = aProcess({ inTaskMs: 1 });
  expect(await process.deliverInTask({ webhookId })).toEqual({ afterMs: 0 });
  const aside = process.deliverWebhook({ webhookId, postponed: { afterMs: 0 } });
  process.end({ kind: 'delivered' });
  await aside;
  expect(process.sent).toHaveLength(1);
  expect(process.observed).toEqual(['delivered']);
});

it('one whose merchant asks about the payment first is answered after half a second, when the task is over', async () => {
  jest.useFakeTimers();
  try {
    const process = aProcess({});
    const told = process.deliverInTask({ webhookId });
    await jest.advanceTimersByTimeAsync(500);
    expect(await told).toEqual({ afterMs: 0 });
    process.end({ kind: 'delivered' });
    await process.idle();
  } finally {
    jest.useRealTimers();
  }
});

it('one that is under way keeps the process from ending, and harms nobody when it fails unheard', async () => {
  const process = aProcess({ inTaskMs: 1 });
  await process.deliverInTask({ webhookId });
  let isIdle = false;
  const ended = process.idle().then(() => (isIdle = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isIdle).toBe(false);
  process.end(new Error('the database is lost'));
  await ended;
  const again = process.deliverWebhook({ webhookId });
  process.end({ kind: 'delivered' });
  await again;
  expect(process.sent).toHaveLength(2);
});
