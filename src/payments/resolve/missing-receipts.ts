/** The receipts of payments that succeeded without one. We poll for each a few times, and then give it up for good. */
import { randomBytes } from 'node:crypto';
import type { Database, Transaction } from '../../store/database';
import type { MissingReceiptRow, PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import { getPaymentOrThrow } from '../read/payments';
import { operationOf } from '../../rail-kit/rail';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A late notification brings the receipt without a poll. Between tries the provider has time to repair a failure. */
const waitsMs = [minute, 10 * minute, hour, 24 * hour];
/** Polls at once. Few, because the sweeper that polls has other work. */
const batch = 5;
const callTimeoutMs = 3_000;

/** Plans the poll for a receipt, in the transaction of the success, where the provider has such a poll. */
export async function noteMissingReceipt(
  trx: Transaction,
  { rails, timeScale }: Pick<PaymentsContext, 'rails' | 'timeScale'>,
  payment: PaymentRow,
): Promise<void> {
  if (payment.state !== 'succeeded' || payment.provider_receipt !== null) return;
  if (!operationOf(rails.get(payment.rail), payment).requestReceipt) return;
  await trx.raw(
    `INSERT IGNORE INTO missing_receipts (payment_id, token, next_at)
     VALUES (?, ?, UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND)`,
    [payment.payment_id, randomBytes(16).toString('hex'), waitUs(0, timeScale)],
  );
}

/** Polls the providers for the receipts that are due. @returns how many were due. */
export async function askForReceipts(context: PaymentsContext): Promise<number> {
  const due = await context
    .db('missing_receipts')
    .whereRaw('next_at <= UTC_TIMESTAMP(3)')
    .orderBy('next_at')
    .limit(batch);
  await Promise.all(
    due.map((missing) =>
      askFor(context, missing).catch((error: unknown) => {
        context.log.warn('a receipt could not be requested', { payment_id: missing.payment_id, error });
      }),
    ),
  );
  return due.length;
}

async function askFor(
  { db, rails, log, timeScale }: PaymentsContext,
  { payment_id: paymentId, token, tries }: MissingReceiptRow,
): Promise<void> {
  // The claim comes first, so that a failure after it is not retried at once.
  if (!(await claim(db, paymentId, tries, waitUs(tries + 1, timeScale)))) return;
  const payment = await getPaymentOrThrow(db, paymentId);
  const isAbandoned = tries >= waitsMs.length;
  if (payment.provider_receipt !== null || isAbandoned) {
    await db('missing_receipts').where({ payment_id: paymentId }).delete();
    if (payment.provider_receipt === null) {
      log.warn('a payment has no receipt, and its provider does not report one', { payment_id: paymentId });
    }
    return;
  }
  const { requestReceipt } = operationOf(rails.get(payment.rail), payment);
  const requestId = payment.request_id ?? paymentId;
  const asked = await requestReceipt?.(payment, token, { timeoutMs: callTimeoutMs, requestId });
  if (asked?.kind === 'not_asked') {
    log.warn('the request for a receipt failed', { payment_id: paymentId, answer: asked.text });
  }
}

/** @returns false where another worker polls. */
async function claim(db: Database, paymentId: string, tries: number, waitedUs: number): Promise<boolean> {
  const [{ affectedRows }] = (await db.raw(
    `UPDATE missing_receipts SET tries = tries + 1, next_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
     WHERE payment_id = ? AND tries = ?`,
    [waitedUs, paymentId, tries],
  )) as [{ affectedRows: number }];
  return affectedRows === 1;
}

/** After the last try the wait is as long as before it: an answer may still be on its way. */
function waitUs(tries: number, timeScale: number): number {
  const ms = waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 0;
  return Math.round((ms * 1_000) / timeScale);
}
