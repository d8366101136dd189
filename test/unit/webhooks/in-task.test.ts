/** The first attempt of a webhook within a workflow task: an unfinished one continues in an activity of its own. */
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
    const reported = process.sendWebhook({ webhookId, patient: false });
    process.end({ kind });
    expect(await reported).toEqual({ result: kind });
    expect(process.sent.map(({ how }) => how)).toEqual([{ isAwaited: true }]);
    expect(process.observed).toEqual([kind]);
  },
);

it('one without a free place goes to an activity of its own, at once', async () => {
  const process = aProcess();
  const reported = process.sendWebhook({ webhookId, patient: false });
  process.end({ kind: 'busy', delayMs: 700 });
  expect(await reported).toEqual({ afterMs: 0 });
  const aside = process.sendWebhook({ webhookId, patient: true, postponed: { afterMs: 0 } });
  process.end({ kind: 'delivered' });
  await aside;
  expect(process.sent.map(({ how }) => how)).toEqual([{ isAwaited: true }, { isNew: true }]);
});

it('one that failed is retried when due, and not before', async () => {
  const process = aProcess();
  const reported = process.sendWebhook({ webhookId, patient: false });
  process.end({ kind: 'retry', delayMs: 10_000 });
  const postponed = { afterMs: 10_000, why: 'the merchant did not accept it' };
  expect(await reported).toEqual(postponed);
  await expect(process.sendWebhook({ webhookId, patient: true, postponed })).rejects.toMatchObject({
    type: 'NOT_DELIVERED',
    message: 'the merchant did not accept it',
    nextRetryDelay: 10_000,
  });
  expect(process.sent).toHaveLength(1);
  const later = aProcess({ inTaskMs: 60_000, attempt: 2 });
  const again = later.sendWebhook({ webhookId, patient: true, postponed });
  later.end({ kind: 'delivered' });
  await again;
  expect(later.sent).toHaveLength(1);
});

it('one that takes longer than a task may is awaited by the next activity, and sent once', async () => {
  const process = aProcess({ inTaskMs: 1 });
  expect(await process.sendWebhook({ webhookId, patient: false })).toEqual({ afterMs: 0 });
  const aside = process.sendWebhook({ webhookId, patient: true, postponed: { afterMs: 0 } });
  process.end({ kind: 'delivered' });
  await aside;
  expect(process.sent).toHaveLength(1);
  expect(process.observed).toEqual(['delivered']);
});

it('one whose merchant queries the payment first is answered after half a second, when the task is over', async () => {
  jest.useFakeTimers();
  try {
    const process = aProcess({});
    const reported = process.sendWebhook({ webhookId, patient: false });
    await jest.advanceTimersByTimeAsync(500);
    expect(await reported).toEqual({ afterMs: 0 });
    process.end({ kind: 'delivered' });
    await process.idle();
  } finally {
    jest.useRealTimers();
  }
});

it('one in progress keeps the process alive, and its late failure does no harm', async () => {
  const process = aProcess({ inTaskMs: 1 });
  await process.sendWebhook({ webhookId, patient: false });
  let isIdle = false;
  const ended = process.idle().then(() => (isIdle = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isIdle).toBe(false);
  process.end(new Error('the database is lost'));
  await ended;
  const again = process.sendWebhook({ webhookId, patient: true });
  process.end({ kind: 'delivered' });
  await again;
  expect(process.sent).toHaveLength(2);
});
