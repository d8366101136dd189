/** Changes payments and writes their events, with the row of the payment locked. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { EventType } from '../../../src/domain/event';
import type { EventPosition } from '../../../src/events/cursor';
import { readEvents, type PageOfEvents } from '../../../src/events/read-events';
import { recordEvents } from '../../../src/events/record-events';
import type { Database, Transaction } from '../../../src/store/database';
import type { EventRow } from '../../../src/store/tables';

const someType: EventType = 'deposit.pending';
const callbackType = 'STK-Push';

/** A webhook that a test identifies by its number. */
const bodyOf = (paymentId: string, n: number, type: EventType) => ({
  payment_id: paymentId,
  merchant_request_id: '',
  checkout_request_id: '',
  status: 'Pending',
  result_code: '',
  result_description: '',
  initial_amount: 100,
  asked_amount: 100,
  actual_amount: 0,
  mm_receipt_number: '',
  transaction_date: '',
  phone_number: '254708374149',
  payer_phone: '',
  payer_name: '',
  account_reference: String(n),
  order_id: '',
  timestamp: '2026-01-05 12:00:00',
  sequence: n + 1,
  event_type: type,
  callback_type: callbackType,
});

export const numberIn = (body: object): number =>
  Number((body as ReturnType<typeof bodyOf>).account_reference);

export async function change(
  trx: Transaction,
  payment: { merchantId: string; paymentId: string },
  n = 0,
  type: EventType = someType,
): Promise<void> {
  await trx('payments').where({ payment_id: payment.paymentId }).update({ signals: n });
  const reported = { eventId: uuid(), rail: 'stk', type, callbackType };
  await recordEvents(trx, [{ ...payment, ...reported, body: bodyOf(payment.paymentId, n, type) }]);
}

export async function pageAfter(
  db: Database,
  merchantId: string,
  after: EventPosition | undefined,
  limit: number,
): Promise<PageOfEvents> {
  const page = await readEvents(db, merchantId, { after, limit });
  if (typeof page === 'string') throw new Error(`the place is ${page}`);
  return page;
}

/** Reads as a merchant does, page by page, until `isOver` was true before a page that was the last. */
export async function readOn(
  db: Database,
  merchantId: string,
  { isOver, read = [] }: { isOver: () => boolean; read?: EventRow[] },
): Promise<EventRow[]> {
  let after: EventPosition | undefined;
  for (;;) {
    const wasOver = isOver();
    const page = await pageAfter(db, merchantId, after, 7);
    read.push(...page.events);
    after = page.place;
    if (page.hasMore) continue;
    if (wasOver) return read;
    await delay(2);
  }
}
