/** Ids, receipts and dates in the provider's formats. */
import { randomInt } from 'node:crypto';
import { BASE36, nairobiDate } from '../../identifiers';
import { currencies, type Currency } from './currencies';

const INVOICE_ID_LENGTH = 7;

/** 2026-01-05T12:00:31+03:00. */
export function nairobiTime(ms: number): string {
  return `${nairobiDate(ms).toISOString().slice(0, 19)}+03:00`;
}

export function newInvoiceId(): string {
  return Array.from({ length: INVOICE_ID_LENGTH }, () => BASE36.charAt(randomInt(BASE36.length))).join('');
}

/** The country, the day as yymmdd and five digits, as in UG26010500123. */
export function newReceipt(ms: number, currency: Currency): string {
  const day = nairobiDate(ms).toISOString().slice(2, 10).replaceAll('-', '');
  return `${currencies[currency].receiptPrefix}${day}${String(randomInt(100_000)).padStart(5, '0')}`;
}
