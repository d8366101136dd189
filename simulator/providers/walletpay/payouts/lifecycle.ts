/** The states of an accepted payout batch: processed, its items decided, and both reported by event. */
import { openSteps, splitAfter } from '../../../steps';
import type { ProviderContext } from '../../../provider';
import { newLongId, newShortId } from '../identifiers';
import { bookedValueOf } from '../money';
import type { WalletpaySettings } from '../settings';
import type { Events } from '../webhooks/events';
import type { Batch, Batches, Found, Item } from './batches';
import type { PayoutRequest } from './requests';
import {
  cancelled,
  claimed,
  refunded,
  returned,
  reversed,
  scenarioOf,
  sentBack,
  UNCLAIMED_LIFE_MS,
  type BatchStatus,
  type ItemChange,
  type ItemEvent,
  type Step,
} from './scenarios';
import { reportedItem, wireBatchHeader } from './wire';

export const personActions = ['claim', 'return', 'refund', 'reverse'] as const;
export type PersonAction = (typeof personActions)[number];
type Changes = Partial<Record<PersonAction, ItemChange>>;

/** What the receiver, the provider or time can do with a waiting item, and with a paid one. */
const whileItWaits: Changes = { claim: claimed, return: returned };
const onceItIsPaid: Changes = { return: sentBack, refund: refunded, reverse: reversed };

export interface Payouts {
  begin(request: PayoutRequest, simulatorUrl: string): Promise<Batch>;
  /** @returns undefined if the action is not possible in the item's state. */
  decide(found: Found, action: PersonAction): Found | undefined;
  cancel(found: Found): Found;
}

export interface PayoutParts {
  context: ProviderContext;
  settings: WalletpaySettings;
  batches: Batches;
  events: Events;
}

/** Payouts take longer than an event. */
const PAYOUT_SLOWNESS = 2.5;

const itemSummaries = {
  SUCCEEDED: 'A payout item has succeeded',
  FAILED: 'A payout item has failed',
  UNCLAIMED: 'A payout item is unclaimed',
  RETURNED: 'A payout item has been returned',
  HELD: 'A payout item is held',
  BLOCKED: 'A payout item is blocked',
  CANCELED: 'A payout item has been canceled',
  DENIED: 'A payout item has been denied',
  REFUNDED: 'A payout item has been refunded',
} as const satisfies Record<ItemEvent, string>;

const isWaiting = ({ status }: Item) => status === 'UNCLAIMED' || status === 'ONHOLD';

export function openPayouts({ context, settings, batches, events }: PayoutParts): Payouts {
  const { clock, schedule, faults, books } = context;

  const subjectOf = (batch: Batch, item?: Item) => ({
    bulkhead: batch.id,
    facts: {
      sender_batch_id: batch.senderBatchId ?? '',
      receiver: (item ?? batch.items[0])?.receiver ?? '',
    },
  });
  const notifyBatch = (batch: Batch, status: BatchStatus) =>
    events.notify(
      {
        eventType: `PAYMENT.PAYOUTSBATCH.${status}`,
        resourceType: 'payouts',
        resourceVersion: '1.0',
        summary: `Payouts batch is ${status.toLowerCase()}.`,
        resource: wireBatchHeader(batch),
      },
      subjectOf(batch),
    );
  const notifyItem = ({ batch, item }: Found, notifies: ItemEvent) =>
    events.notify(
      {
        eventType: `PAYMENT.PAYOUTS-ITEM.${notifies}`,
        resourceType: 'payouts_item',
        resourceVersion: '1.0',
        summary: itemSummaries[notifies],
        resource: reportedItem(batch, item),
      },
      subjectOf(batch, item),
    );

  const changeItem = (batch: Batch, before: Item, { status, error }: ItemChange): Found => {
    const { error: _, ...rest } = before;
    const item: Item = {
      ...rest,
      status,
      ...(error !== undefined && { error }),
      transactionId: before.transactionId ?? newLongId(),
      processedAt: clock.now(),
    };
    const items = batch.items.map((other) => (other.id === item.id ? item : other));
    const changed = { ...batch, items };
    batches.save(changed);
    if (status === 'SUCCESS') book(changed, item, 'payout');
    if (before.status === 'SUCCESS') book(changed, item, 'return');
    if (status === 'UNCLAIMED') {
      const step: Step = { afterMs: UNCLAIMED_LIFE_MS, item: itemStep(item.id, returned) };
      steps.plan(batch.id, clock.now(), [step]);
    }
    return { batch: changed, item };
  };
  /** By the batch, which its sender queries; several items have separate names. */
  const book = (
    { id: batchId, items }: Batch,
    { id, amount, transactionId = id }: Item,
    kind: 'payout' | 'return',
  ) =>
    books.book({
      provider: 'walletpay',
      kind,
      reference: items.length === 1 ? batchId : id,
      receipt: transactionId,
      amount: bookedValueOf(amount),
      currency: amount.currency,
    });

  const perform = async (batchId: string, { becomes, item: wanted }: Step): Promise<void> => {
    const batch = batches.find(batchId);
    if (!batch) return;
    if (becomes !== undefined) {
      const isOver = becomes !== 'PROCESSING';
      const changed = { ...batch, status: becomes, ...(isOver && { completedAt: clock.now() }) };
      batches.save(changed);
      await notifyBatch(changed, becomes);
    }
    const item = wanted && batch.items.find(({ id }) => id === wanted.id);
    if (!item) return;
    // An item that was claimed or cancelled meanwhile stays as it is.
    if (wanted.change && item.status !== 'PENDING' && !isWaiting(item)) return;
    const found = wanted.change ? changeItem(batch, item, wanted.change) : { batch, item };
    if (wanted.notifies !== undefined) await notifyItem(found, wanted.notifies);
  };
  const steps = openSteps<Step>(schedule, 'walletpay.payout', perform);

  const stepsOf = ({ items }: Batch): Step[] => {
    const settledMs = settings.soonMs * PAYOUT_SLOWNESS;
    const isDenied = items.some(({ receiver }) => scenarioOf(receiver).batch === 'DENIED');
    return [
      ...(isDenied ? [] : [{ afterMs: settledMs / 2, becomes: 'PROCESSING' } as const]),
      ...items.map(({ id, receiver }) => ({
        afterMs: settledMs,
        item: itemStep(id, scenarioOf(receiver).change),
      })),
      { afterMs: settledMs, becomes: isDenied ? 'DENIED' : 'SUCCESS' },
    ];
  };

  /** A change that is visible at once, and reported a moment later. */
  const changeAndNotify = ({ batch, item }: Found, change: ItemChange): Found => {
    const found = changeItem(batch, item, change);
    const { notifies } = change;
    if (notifies !== undefined) {
      steps.plan(batch.id, clock.now(), [{ afterMs: settings.soonMs, item: { id: item.id, notifies } }]);
    }
    return found;
  };

  return {
    async begin(request, simulatorUrl) {
      const batch: Batch = {
        ...request,
        id: newShortId(),
        status: 'PENDING',
        simulatorUrl,
        items: request.items.map((item) => ({ ...item, id: newShortId(), status: 'PENDING' })),
        createdAt: clock.now(),
      };
      batches.save(batch);
      const planned = stepsOf(batch);
      const overtakes =
        faults.take('walletpay', 'callback', subjectOf(batch).facts, ['reorder']) !== undefined;
      const [before, after] = overtakes
        ? splitAfter(planned, (step) => step === planned.at(-1))
        : [[], planned];
      for (const step of before) await perform(batch.id, step);
      steps.plan(batch.id, batch.createdAt, after);
      return batch;
    },
    decide(found, action) {
      const { item } = found;
      const possible = isWaiting(item) ? whileItWaits : item.status === 'SUCCESS' ? onceItIsPaid : {};
      const change = possible[action];
      return change && changeAndNotify(found, change);
    },
    cancel: ({ batch, item }) => changeAndNotify({ batch, item: { ...item, isCancelled: true } }, cancelled),
  };
}

const itemStep = (id: string, change: ItemChange) => ({
  id,
  change,
  ...(change.notifies !== undefined && { notifies: change.notifies }),
});
