/** Reads the body of a payout batch; the first error is reported. */
import type { CallResponse } from '../../../calls';
import { isRecord, recordOf, textOf, type Fields } from '../../../fields';
import { denial } from '../errors';
import { decimalsOf, readAmount, type Amount } from '../money';

export interface PayoutRequest {
  senderBatchId?: string;
  emailSubject?: string;
  emailMessage?: string;
  items: ItemRequest[];
}

export interface ItemRequest {
  receiver: string;
  amount: Amount;
  note?: string;
  senderItemId?: string;
}

export type Read<T> = { value: T } | { refused: CallResponse };

const ITEMS_MAX = 15_000;
const LENGTHS = { sender_batch_id: 256, email_subject: 255, email_message: 1_000 };
const ITEM_LENGTHS = { note: 4_000, sender_item_id: 63, receiver: 127 };
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

export function readPayoutRequest(body: unknown): Read<PayoutRequest> {
  const { sender_batch_header: header, items } = recordOf(body);
  if (!isRecord(header)) return invalid('sender_batch_header', 'Required field is missing');
  const long = tooLong(header, LENGTHS);
  if (long !== undefined) return invalid(`sender_batch_header.${long}`, 'Value is too long');
  if (!Array.isArray(items) || items.length === 0) return invalid('items', 'Required field is missing');
  if (items.length > ITEMS_MAX) return invalid('items', `More than ${ITEMS_MAX} items`);

  const read: ItemRequest[] = [];
  for (const [index, item] of items.entries()) {
    const one = readItem(recordOf(item), header['recipient_type'], `items[${index}]`);
    if ('refused' in one) return one;
    read.push(one.value);
  }
  if (new Set(read.map(({ amount }) => amount.currency)).size > 1) {
    return invalid('items', 'All items must have the same currency');
  }
  return {
    value: {
      ...optional(header, 'sender_batch_id', 'senderBatchId'),
      ...optional(header, 'email_subject', 'emailSubject'),
      ...optional(header, 'email_message', 'emailMessage'),
      items: read,
    },
  };
}

function readItem(item: Fields, typeOfAll: unknown, path: string): Read<ItemRequest> {
  const long = tooLong(item, ITEM_LENGTHS);
  if (long !== undefined) return invalid(`${path}.${long}`, 'Value is too long');
  if ((item['recipient_type'] ?? typeOfAll) !== 'EMAIL')
    return invalid(`${path}.recipient_type`, 'Must be EMAIL');
  const receiver = textOf(item['receiver']);
  if (!EMAIL.test(receiver))
    return invalid(`${path}.receiver`, 'Receiver is invalid or does not match with type');
  const { currency, value } = recordOf(item['amount']);
  if (typeof currency !== 'string' || decimalsOf(currency) === undefined) {
    return invalid(`${path}.amount.currency`, 'Currency is not supported');
  }
  const amount = readAmount(textOf(value), currency);
  if (!amount || amount.minor === '0') return invalid(`${path}.amount.value`, 'Amount is invalid');
  return {
    value: {
      receiver,
      amount,
      ...optional(item, 'note', 'note'),
      ...optional(item, 'sender_item_id', 'senderItemId'),
    },
  };
}

/** The first field that is too long, if any; a value that is not text counts too. */
function tooLong(fields: Fields, lengths: Readonly<Record<string, number>>): string | undefined {
  return Object.entries(lengths).find(([name, max]) => {
    const value = fields[name];
    return value !== undefined && (typeof value !== 'string' || value.length > max);
  })?.[0];
}

function invalid(field: string, issue: string): { refused: CallResponse } {
  return { refused: denial('VALIDATION_ERROR', [{ field, location: 'body', issue }]) };
}

function optional<K extends string>(fields: Fields, wire: string, name: K): Partial<Record<K, string>> {
  const value = fields[wire];
  return typeof value === 'string' ? ({ [name]: value } as Record<K, string>) : {};
}
