/** Ids, receipts and dates in M-Pesa's formats. */
import { randomBytes, randomInt } from 'node:crypto';
import { BASE36, nairobiDate } from '../../identifiers';

const LETTERS = BASE36.slice(10);
/** The year whose receipts begin with an A. */
const RECEIPT_EPOCH_YEAR = 2006;

/** yyyymmddhhmmss in Nairobi. */
export function nairobiTimestamp(ms: number): string {
  return nairobiDate(ms).toISOString().replace(/\D/g, '').slice(0, 14);
}

export function newMerchantRequestId(): string {
  return `${String(randomInt(1_000, 100_000))}-${String(randomInt(1_000_000, 100_000_000))}-1`;
}

/** ws_CO_, the time as ddmmyyyyhhmmss, six random digits, and the phone without its country code. */
export function newCheckoutRequestId(ms: number, phone: string): string {
  const stamp = nairobiTimestamp(ms);
  const moment = `${stamp.slice(6, 8)}${stamp.slice(4, 6)}${stamp.slice(0, 4)}${stamp.slice(8)}`;
  return `ws_CO_${moment}${String(randomInt(1_000_000)).padStart(6, '0')}${phone.slice(3)}`;
}

/** A letter each for year and month, a digit or letter for the day, then seven random ones. */
export function newReceipt(ms: number): string {
  const day = nairobiDate(ms);
  const year = LETTERS.charAt((day.getUTCFullYear() - RECEIPT_EPOCH_YEAR) % LETTERS.length);
  const rest = Array.from({ length: 7 }, () => BASE36.charAt(randomInt(BASE36.length))).join('');
  return `${year}${LETTERS.charAt(day.getUTCMonth())}${BASE36.charAt(day.getUTCDate())}${rest}`;
}

/** The network's id of a query that it answers later. */
export function newConversationId(ms: number): string {
  return `AG_${nairobiTimestamp(ms).slice(0, 8)}_${randomBytes(10).toString('hex')}`;
}
