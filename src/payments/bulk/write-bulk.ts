/** The one transaction that takes many payouts on: all their rows and holds, or none. */
import { v7 as uuid } from 'uuid';
import { PaymentError, type ErrorCode } from '../../domain/errors';
import { recordQuote } from '../../fx/quotes';
import { openAccount } from '../../ledger/accounts';
import { placeHolds, type HoldRequest } from '../../ledger/holds';
import { inChunks } from '../../store/in-chunks';
import type { Transaction } from '../../store/database';
import type { BulkPayoutRow, PaymentRow } from '../../store/tables';
import { CommitUnknown, duplicateKeyOf, inTransaction } from '../../store/transaction';
import type { PaymentsContext } from '../context';
import type { Call } from '../endpoint';
import { acceptanceUnknown } from '../refusals';
import { atPlace } from './places';
import { columnsOf, commitPatienceMs, newPayment, type PaymentDraft } from '../write-payment';

/** When the sweeper begins what the process that took them on has not: later for each row, and no faster than that. */
const sweptAfterMs = { first: 30_000, each: 500 };
/** The detail of a payment that names the request it came with. */
const bulkDetail = 'bulk_id';

/** True for a payout that was asked for together with others. */
export function isOfBulk({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[bulkDetail] !== undefined;
}

/** Another request has taken the order_id meanwhile. */
export class BulkTakenMeanwhile extends Error {}

export interface WrittenBulk {
  bulk: BulkPayoutRow;
  payments: PaymentRow[];
}

/**
 * @throws PaymentError of the drafts, such as FLOAT_INSUFFICIENT for their sum, or ACCEPTANCE_UNKNOWN;
 *   BulkTakenMeanwhile. A bare error of the database means that nothing was written.
 */
export async function writeBulk(
  context: PaymentsContext,
  call: Call,
  request: Pick<BulkPayoutRow, 'rail' | 'order_id' | 'order_hash' | 'body_hash'>,
  drafts: readonly PaymentDraft[],
): Promise<WrittenBulk> {
  const { merchant, requestId } = call;
  const bulk: BulkPayoutRow = {
    ...request,
    bulk_id: uuid(),
    merchant_id: merchant.merchant_id,
    row_count: drafts.length,
    request_id: requestId,
    created_at: new Date(),
  };
  const aheadMs = (await context.sandboxAheadMs?.()) ?? 0;
  const rows = drafts.map((draft, n) => ({
    draft,
    // The order_id stands for all of them: an Idempotency-Key stands for one payment.
    payment: newRow(newPayment(context, { merchant, requestId }, draft, aheadMs), bulk, n),
  }));
  const holds: Hold[] = [];
  // One after the other: the first opens the accounts, and the others remember them.
  for (const { draft, payment } of rows) holds.push(...(await holdOf(context, draft, payment)));
  const whenShort: ErrorCode = drafts[0]?.hold?.whenShort ?? 'FLOAT_INSUFFICIENT';

  const write = async (trx: Transaction): Promise<void> => {
    await insertBulk(trx, bulk);
    for (const [n, { draft, payment }] of rows.entries()) await check(trx, draft, payment, n);
    for (const some of inChunks(rows)) {
      await trx('payments').insert(some.map(({ payment }) => columnsOf(payment)));
    }
    const listed = rows.map(({ payment: { payment_id } }, n) => ({ bulk_id: bulk.bulk_id, n, payment_id }));
    for (const some of inChunks(listed)) await trx('bulk_rows').insert(some);
    for (const { draft, payment } of rows) await keepQuote(trx, draft, payment);
    // Last, so that other payouts wait for the float for as short as can be.
    await placeHolds(trx, holds, whenShort);
  };
  try {
    await inTransaction(context.db, write, { patienceMs: commitPatienceMs });
  } catch (error) {
    if (error instanceof CommitUnknown) throw acceptanceUnknown({ bulk_id: bulk.bulk_id }, error);
    if (!(error instanceof WrittenBefore)) throw error;
  }
  return { bulk, payments: rows.map(({ payment }) => payment) };
}

/** An earlier try of this very transaction was committed, and its answer lost. */
class WrittenBefore extends Error {}

async function insertBulk(trx: Transaction, bulk: BulkPayoutRow): Promise<void> {
  try {
    await trx('bulk_payouts').insert(bulk);
  } catch (error) {
    const key = duplicateKeyOf(error);
    if (key === 'PRIMARY') throw new WrittenBefore();
    throw key === undefined ? error : new BulkTakenMeanwhile();
  }
}

/** What a row is refused for meanwhile is told by its place, as what it is refused for before is. */
async function check(trx: Transaction, draft: PaymentDraft, payment: PaymentRow, n: number): Promise<void> {
  try {
    await draft.check?.(trx, payment.payment_id);
  } catch (error) {
    throw error instanceof PaymentError ? atPlace(n, error) : error;
  }
}

function newRow(payment: PaymentRow, { bulk_id, created_at }: BulkPayoutRow, n: number): PaymentRow {
  return {
    ...payment,
    details: { ...payment.details, [bulkDetail]: bulk_id },
    // Its merchant is answered before any provider is asked.
    answered_at: created_at,
    next_look_at: new Date(created_at.getTime() + sweptAfterMs.first + n * sweptAfterMs.each),
  };
}

type Hold = Omit<HoldRequest, 'whenShort'>;

async function holdOf(
  { db }: PaymentsContext,
  { hold, requestedMinor }: PaymentDraft,
  payment: PaymentRow,
): Promise<Hold[]> {
  if (!hold) return [];
  const [from, reserved] = [await openAccount(db, hold.from), await openAccount(db, hold.reserved)];
  return [{ paymentId: payment.payment_id, from, reserved, amountMinor: requestedMinor }];
}

async function keepQuote(trx: Transaction, { quote }: PaymentDraft, payment: PaymentRow): Promise<void> {
  if (!quote) return;
  const [fromMinor, toMinor] = [BigInt(payment.requested_minor), BigInt(payment.instructed_minor)];
  await recordQuote(trx, { paymentId: payment.payment_id, purpose: 'instruct', quote, fromMinor, toMinor });
}
