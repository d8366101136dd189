/** Every payout batch with its items. */
import type { Clock } from '../../../clock';
import type { Journal } from '../../../journal';
import type { ItemRequest, PayoutRequest } from './requests';
import type { BatchStatus, ItemError, ItemStatus } from './scenarios';

export interface Batch extends Omit<PayoutRequest, 'items'> {
  id: string;
  status: BatchStatus;
  /** As the caller knows this simulator, without a trailing slash. */
  simulatorUrl: string;
  items: Item[];
  createdAt: number;
  completedAt?: number;
}

export interface Item extends ItemRequest {
  id: string;
  status: ItemStatus;
  error?: ItemError;
  /** Set after the provider has processed it. */
  transactionId?: string;
  processedAt?: number;
  /** It was cancelled while it was unclaimed. */
  isCancelled?: true;
}

export interface Found {
  batch: Batch;
  item: Item;
}

export interface Batches {
  find(id: string): Batch | undefined;
  /** The batch with the same sender_batch_id, as long as the provider remembers it. */
  findTwin(senderBatchId: string): Batch | undefined;
  findItem(itemId: string): Found | undefined;
  /** By any of a merchant's names of the item; the newest first. */
  findItemByName(name: string): Found | undefined;
  save(batch: Batch): void;
}

const SENDER_ID_LIFE_MS = 30 * 86_400_000;

export function openBatches(journal: Journal, clock: Clock): Batches {
  const batches = journal.collection<Batch>('walletpay.batches');
  const bySenderId = new Map<string, string>();
  const byItem = new Map<string, string>();
  const index = ({ id, senderBatchId, items }: Batch) => {
    if (senderBatchId !== undefined) bySenderId.set(senderBatchId, id);
    for (const item of items) byItem.set(item.id, id);
  };
  for (const batch of batches.values()) index(batch);

  const findItem = (itemId: string): Found | undefined => {
    const batch = batches.get(byItem.get(itemId) ?? '');
    const item = batch?.items.find(({ id }) => id === itemId);
    return batch && item && { batch, item };
  };
  return {
    find: (id) => batches.get(id),
    findTwin(senderBatchId) {
      const twin = batches.get(bySenderId.get(senderBatchId) ?? '');
      return twin && clock.now() < twin.createdAt + SENDER_ID_LIFE_MS ? twin : undefined;
    },
    findItem,
    findItemByName(name) {
      const names = [name, `po-${name}`];
      for (const batch of [...batches.values()].reverse()) {
        const item = batch.items.find(
          ({ id, senderItemId }) => names.includes(id) || names.includes(senderItemId ?? ''),
        );
        if (item) return { batch, item };
      }
      return undefined;
    },
    save(batch) {
      batches.put(batch.id, batch);
      index(batch);
    },
  };
}
