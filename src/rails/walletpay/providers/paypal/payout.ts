/** A payout batch in the provider's format, and the payment result in it. Each batch has one item. */
import type { ProviderResult } from '../../../../domain/outcome';
import { meaningOf } from '../../../../rail-kit/provider-words';
import type { PaymentRow } from '../../../../store/tables';
import { listOf, readMoney, recordOf, textOf, wordOf, type Money } from './wire';

export interface Batch {
  id: string;
  status: string;
  senderBatchId: string;
  money: Money;
  items: Item[];
}

export interface Item {
  id: string;
  status: string;
  senderItemId: string;
  money: Money;
  transactionId: string;
  /** Why it failed or is pending: the provider's `errors.name`. */
  reason: string;
  explanation: string;
}

/** Our id for the batch and its item, by which the provider drops repeats for 30 days. */
export function senderIdOf({ payment_id: paymentId }: Pick<PaymentRow, 'payment_id'>): string {
  return `po-${paymentId}`;
}

/** @returns undefined for anything without an id and a status. */
export function readBatch(json: unknown): Batch | undefined {
  const { batch_header: header, items } = recordOf(json);
  const { payout_batch_id: id, batch_status: status, sender_batch_header: ours, amount } = recordOf(header);
  if (wordOf(id) === '' || wordOf(status) === '') return undefined;
  return {
    id: wordOf(id),
    status: wordOf(status),
    senderBatchId: textOf(recordOf(ours)['sender_batch_id']),
    money: readMoney(amount),
    items: listOf(items).map(readItem),
  };
}

function readItem(item: Record<string, unknown>): Item {
  const sent = recordOf(item['payout_item']);
  const errors = recordOf(item['errors']);
  return {
    id: wordOf(item['payout_item_id']),
    status: wordOf(item['transaction_status']),
    senderItemId: textOf(sent['sender_item_id']),
    money: readMoney(sent['amount']),
    transactionId: wordOf(item['transaction_id']),
    reason: wordOf(errors['name']),
    explanation: textOf(errors['message']),
  };
}

type Ending = 'paid' | 'waits' | 'claimable' | 'failed' | 'came_back';

/** The item's status decides about a payout. */
const itemStatuses: Readonly<Record<string, Ending>> = {
  SUCCESS: 'paid',
  PENDING: 'waits',
  ONHOLD: 'waits',
  UNCLAIMED: 'claimable',
  FAILED: 'failed',
  BLOCKED: 'failed',
  DENIED: 'failed',
  RETURNED: 'came_back',
  REFUNDED: 'came_back',
  REVERSED: 'came_back',
};

/** A batch from which nothing will be paid any more. */
const deadBatches = ['DENIED', 'CANCELED'];

/** The receiver must first accept a foreign currency. That is no failure, though it may be reported as one. */
const pendingReasons = ['PENDING_RECIPIENT_NON_HOLDING_CURRENCY_PAYMENT_PREFERENCE'];

/** A batch of another payment, or without our id, says nothing about this payment. */
export function resultOf(batch: Batch, payment: PaymentRow): ProviderResult {
  const senderId = senderIdOf(payment);
  if (batch.senderBatchId !== senderId)
    return { kind: 'unknown', text: 'the batch does not belong to this payment' };
  const item = batch.items.find(({ senderItemId }) => senderItemId === senderId);
  if (!item && batch.items.length > 0)
    return { kind: 'unknown', text: 'the batch does not contain our item' };
  const reported = item && item.status !== '' ? resultOfItem(batch, item, payment) : undefined;
  const isOver = reported !== undefined && reported.kind !== 'open';
  if (isOver) return reported;
  if (deadBatches.includes(batch.status)) return dead(batch, item);
  return reported ?? resultOfBatchAlone(batch, payment);
}

function resultOfItem(batch: Batch, item: Item, payment: PaymentRow): ProviderResult {
  const { status, reason, explanation } = item;
  const providerReference = batch.id;
  const details = { payout_item_id: item.id, item_status: status, failure: reason };
  const text = explanation || reason || `The payout item is ${status}`;
  const ending = meaningOf(itemStatuses, status);
  switch (ending === 'failed' && pendingReasons.includes(reason) ? 'waits' : ending) {
    case 'paid':
      if (isReportedReturned(payment))
        return { kind: 'open', text: `item ${status}, although it was reported as returned` };
      return paid(batch, item.money, payment, {
        details,
        ...(item.transactionId === '' ? {} : { receipt: item.transactionId }),
      });
    case 'waits':
      return { kind: 'open', text: `item ${status} ${reason}`.trim(), providerReference, details };
    case 'claimable':
      return {
        kind: 'open',
        as: 'queued',
        text: `item ${status} ${reason}`.trim(),
        providerReference,
        details: { ...details, claimable: text },
      };
    case 'failed':
      return { kind: 'failed', code: reason || status, text, providerReference, details };
    case 'came_back': {
      const code = status === 'RETURNED' && wasUnclaimed(item, payment) ? 'UNCLAIMED_RETURNED' : status;
      const { currency, amountMinor } = item.money;
      const amount = amountMinor === undefined ? {} : { amountMinor };
      return { kind: 'returned', code, text, currency, ...amount, providerReference, details };
    }
    default:
      return { kind: 'unknown', text: `item ${status}` };
  }
}

/** The event of a return may be ahead of the item's status. */
function isReportedReturned({ state, details }: PaymentRow): boolean {
  return state === 'succeeded' && details['item_event'] !== undefined;
}

/** A payout that waits for its receiver is queued here, and its reason says so. */
function wasUnclaimed({ reason }: Item, { state, details }: PaymentRow): boolean {
  const whileUnclaimed = ['RECEIVER_UNREGISTERED', 'RECEIVER_UNCONFIRMED'];
  return state === 'queued' || details['item_status'] === 'UNCLAIMED' || whileUnclaimed.includes(reason);
}

function dead({ id, status }: Batch, item: Item | undefined): ProviderResult {
  const { reason = '', explanation = '' } = item ?? {};
  return {
    kind: 'failed',
    code: reason === '' ? `BATCH_${status}` : reason,
    text: explanation === '' ? `The payout batch is ${status}` : explanation,
    providerReference: id,
    details: { item_status: item?.status ?? '', failure: reason },
  };
}

/**
 * The item's status is missing. SUCCESS of the batch then counts for its item, unless more is known. If the item was
 * pending or held before, it does not count: a completed batch may contain an item that fails later.
 */
function resultOfBatchAlone(batch: Batch, payment: PaymentRow): ProviderResult {
  const { id: providerReference, status } = batch;
  const known = payment.details['item_status'];
  if (status === 'SUCCESS') {
    return known === undefined || meaningOf(itemStatuses, known) === 'waits'
      ? paid(batch, batch.money, payment, {})
      : { kind: 'unknown', text: `batch SUCCESS; its item was ${known} before and is missing now` };
  }
  return status === 'PENDING' || status === 'PROCESSING'
    ? { kind: 'open', text: `batch ${status}`, providerReference }
    : { kind: 'unknown', text: `batch ${status}` };
}

/**
 * Without a readable amount a success does not count, unless it is in an unexpected currency: then an operator reviews
 * it.
 */
function paid(
  { id: providerReference }: Batch,
  { currency, amountMinor }: Money,
  payment: PaymentRow,
  reported: { details?: Record<string, string>; receipt?: string },
): ProviderResult {
  const common = {
    kind: 'succeeded',
    code: 'SUCCESS',
    text: 'SUCCESS',
    currency,
    providerReference,
    ...reported,
  } as const;
  if (amountMinor !== undefined) return { ...common, amountMinor };
  return currency !== '' && currency !== payment.instructed_currency
    ? common
    : { kind: 'unknown', text: 'SUCCESS without a readable amount' };
}
