/** Payout batches and items in the wire's format. */
import type { Link } from '../errors';
import { wireTime } from '../identifiers';
import { amountOf, sum, wirePayoutMoney } from '../money';
import type { Batch, Item } from './batches';
import { itemErrors } from './scenarios';

const FEE_MINOR = 25n;

const link = (href: string, rel: string): Link => ({ href, rel, method: 'GET', encType: 'application/json' });

const batchUrl = ({ simulatorUrl, id }: Batch) => `${simulatorUrl}/v1/payments/payouts/${id}`;
export const batchLink = (batch: Batch) => link(batchUrl(batch), 'self');
const itemUrl = ({ simulatorUrl }: Batch, { id }: Item) => `${simulatorUrl}/v1/payments/payouts-item/${id}`;

const senderHeader = ({ senderBatchId, emailSubject, emailMessage }: Batch) => ({
  ...(senderBatchId !== undefined && { sender_batch_id: senderBatchId }),
  ...(emailSubject !== undefined && { email_subject: emailSubject }),
  ...(emailMessage !== undefined && { email_message: emailMessage }),
});

export function createdBatch(batch: Batch) {
  return {
    batch_header: {
      payout_batch_id: batch.id,
      batch_status: batch.status,
      sender_batch_header: senderHeader(batch),
    },
    links: [batchLink(batch)],
  };
}

/** The whole content of a batch's events: nothing about its items. */
export function wireBatchHeader(batch: Batch) {
  const currency = batch.items[0]?.amount.currency ?? '';
  return {
    batch_header: {
      payout_batch_id: batch.id,
      batch_status: batch.status,
      time_created: wireTime(batch.createdAt),
      ...(batch.completedAt !== undefined && { time_completed: wireTime(batch.completedAt) }),
      sender_batch_header: senderHeader(batch),
      funding_source: 'BALANCE',
      amount: wirePayoutMoney(
        sum(
          currency,
          batch.items.map(({ amount }) => amount),
        ),
      ),
      fees: wirePayoutMoney(amountOf(currency, FEE_MINOR * BigInt(batch.items.length))),
      payments: batch.items.length,
    },
    links: [batchLink(batch)],
  };
}

export function wireBatch(batch: Batch) {
  const { batch_header, links } = wireBatchHeader(batch);
  return { batch_header, items: batch.items.map((item) => wireItem(batch, item)), links };
}

export function wireItem(batch: Batch, item: Item) {
  const { error } = item;
  return {
    ...reportedItem(batch, item),
    ...(error !== undefined && {
      errors: {
        name: error,
        message: itemErrors[error],
        information_link: 'https://developer.paypal.com/docs/api/payments.payouts-batch/#errors',
        details: [],
        links: [],
      },
    }),
  };
}

/** The content of an item's events: everything except the reason of a failure, which needs a query. */
export function reportedItem(batch: Batch, item: Item) {
  const { id, status, transactionId, processedAt, amount, receiver, note, senderItemId } = item;
  return {
    payout_item_id: id,
    ...(transactionId !== undefined && { transaction_id: transactionId, activity_id: transactionId }),
    transaction_status: status,
    payout_item_fee: wirePayoutMoney(amountOf(amount.currency, FEE_MINOR)),
    payout_batch_id: batch.id,
    ...(batch.senderBatchId !== undefined && { sender_batch_id: batch.senderBatchId }),
    payout_item: {
      recipient_type: 'EMAIL',
      amount: wirePayoutMoney(amount),
      ...(note !== undefined && { note }),
      receiver,
      ...(senderItemId !== undefined && { sender_item_id: senderItemId }),
      recipient_wallet: 'PAYPAL',
    },
    ...(processedAt !== undefined && { time_processed: wireTime(processedAt) }),
    links: [link(itemUrl(batch, item), 'item'), link(batchUrl(batch), 'batch')],
  };
}
