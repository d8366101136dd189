/** A payout batch as the provider shows it, and what it says about a payment. We send one item in each batch. */
import type { Finding } from '../../../../domain/outcome';
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
  /** Why it failed, or waits: the provider's `errors.name`. */
  reason: string;
  explanation: string;
}

/** The name that we give to the batch and to its item, by which the provider drops repeats for 30 days. */
export function senderIdOf({ payment_id: paymentId }: Pick<PaymentRow, 'payment_id'>): string {
  return `po-${paymentId}`;
}

/** @returns undefined for anything that has no id and no status. */
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

/** The truth about a payout is its item's. */
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

/** A batch that nothing will be paid out of any more. */
const deadBatches = ['DENIED', 'CANCELED'];

/** The receiver has to say yes to a foreign currency first: that is no failure, though it may be told as one. */
const pendingReasons = ['PENDING_RECIPIENT_NON_HOLDING_CURRENCY_PAYMENT_PREFERENCE'];

/** A batch that is another payment's, or that names no sender, says nothing about this one. */
export function findingOf(batch: Batch, payment: PaymentRow): Finding {
  const senderId = senderIdOf(payment);
  if (batch.senderBatchId !== senderId)
    return { kind: 'unknown', text: 'the batch is not about this payment' };
  const item = batch.items.find(({ senderItemId }) => senderItemId === senderId);
  if (!item && batch.items.length > 0) return { kind: 'unknown', text: 'the batch holds no item of ours' };
  const told = item && item.status !== '' ? findingOfItem(batch, item, payment) : undefined;
  const isOver = told !== undefined && told.kind !== 'open';
  if (isOver) return told;
  if (deadBatches.includes(batch.status)) return dead(batch, item);
  return told ?? findingOfBatchAlone(batch, payment);
}

function findingOfItem(batch: Batch, item: Item, payment: PaymentRow): Finding {
  const { status, reason, explanation } = item;
  const providerReference = batch.id;
  const details = { payout_item_id: item.id, item_status: status, failure: reason };
  const text = explanation || reason || `The payout item is ${status}`;
  const ending = meaningOf(itemStatuses, status);
  switch (ending === 'failed' && pendingReasons.includes(reason) ? 'waits' : ending) {
    case 'paid':
      if (isToldBack(payment)) return { kind: 'open', text: `item ${status}, though told to be back` };
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

/** The event that it came back may be ahead of what the item says. */
function isToldBack({ state, details }: PaymentRow): boolean {
  return state === 'succeeded' && details['item_event'] !== undefined;
}

/** What waits for its receiver is queued with us, and says so in its reason. */
function wasUnclaimed({ reason }: Item, { state, details }: PaymentRow): boolean {
  const whileUnclaimed = ['RECEIVER_UNREGISTERED', 'RECEIVER_UNCONFIRMED'];
  return state === 'queued' || details['item_status'] === 'UNCLAIMED' || whileUnclaimed.includes(reason);
}

function dead({ id, status }: Batch, item: Item | undefined): Finding {
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
 * No item tells. SUCCESS of a batch then stands for what is in it, unless we know better; while its item is told to be
 * pending or held it does not, because a batch that is through may still hold what fails later.
 */
function findingOfBatchAlone(batch: Batch, payment: PaymentRow): Finding {
  const { id: providerReference, status } = batch;
  const known = payment.details['item_status'];
  if (status === 'SUCCESS') {
    return known === undefined || meaningOf(itemStatuses, known) === 'waits'
      ? paid(batch, batch.money, payment, {})
      : { kind: 'unknown', text: `batch SUCCESS, its item was ${known} before and is not told now` };
  }
  return status === 'PENDING' || status === 'PROCESSING'
    ? { kind: 'open', text: `batch ${status}`, providerReference }
    : { kind: 'unknown', text: `batch ${status}` };
}

/** Without a readable amount a success is no success, save in a currency that we did not send: a person looks. */
function paid(
  { id: providerReference }: Batch,
  { currency, amountMinor }: Money,
  payment: PaymentRow,
  told: { details?: Record<string, string>; receipt?: string },
): Finding {
  const common = {
    kind: 'succeeded',
    code: 'SUCCESS',
    text: 'SUCCESS',
    currency,
    providerReference,
    ...told,
  } as const;
  if (amountMinor !== undefined) return { ...common, amountMinor };
  return currency !== '' && currency !== payment.instructed_currency
    ? common
    : { kind: 'unknown', text: 'SUCCESS without a readable amount' };
}
