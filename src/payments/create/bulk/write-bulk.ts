/** The one transaction that takes many payouts on: all their rows and holds, or none. */
import { v7 as uuid } from 'uuid';
import { PaymentError } from '../../../domain/errors';
import { countOutflows, type Outflow } from '../../../controls/outflow';
import { placeHolds, type HoldRequest } from '../../../ledger/holds';
import { inChunks } from '../../../store/in-chunks';
import type { Transaction } from '../../../store/database';
import type { BulkPayoutRow, PaymentRow } from '../../../store/tables';
import { duplicateKeyOf } from '../../../store/transaction';
import { fixFees, heldFeeOf } from '../../transition/fees';
import { tellOfCreated } from '../../transition/tell-merchant';
import type { PaymentsContext } from '../../../rail-kit/context';
import type { PaymentDraft } from '../../../rail-kit/draft';
import type { Call } from '../../../rail-kit/endpoint';
import { bulkDetail } from '../../read/of-bulk';
import { atPlace } from './places';
import {
  columnsOf,
  holdOf,
  keepQuote,
  newPayment,
  noteHolds,
  outflowOf,
  outflowScopeOf,
  writeOnce,
  WrittenBefore,
} from '../write-payment';

/** When the sweeper begins what the process that took them on has not: later for each row, and no faster than that. */
const sweptAfterMs = { first: 30_000, each: 500 };
/** Another request has taken the order_id meanwhile. */
export class BulkTakenMeanwhile extends Error {}

export interface BulkToWrite extends Pick<BulkPayoutRow, 'rail' | 'order_id' | 'order_hash' | 'body_hash'> {
  /** Runs last. */
  alongside?: (trx: Transaction, bulkId: string) => Promise<void> | undefined;
}

export interface WrittenBulk {
  bulk: BulkPayoutRow;
  payments: PaymentRow[];
}

/**
 * @throws PaymentError of the drafts, such as FLOAT_INSUFFICIENT for their sum, OUTFLOW_LIMIT_REACHED for the first that
 *   does not fit, or ACCEPTANCE_UNKNOWN; BulkTakenMeanwhile. A bare error of the database means that nothing was written.
 */
export async function writeBulk(
  context: PaymentsContext,
  call: Call,
  { alongside, ...request }: BulkToWrite,
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
  const rows = drafts.map((draft, n) => ({
    draft,
    // The order_id stands for all of them: an Idempotency-Key stands for one payment.
    payment: newRow(newPayment(context, { merchant, requestId }, draft), bulk, n),
  }));
  const asked = rows.map(({ payment: { details } }) => details);
  const holds: { payment: PaymentRow; request: HoldRequest }[] = [];
  const outflows: Outflow[] = [];
  // One after the other: the first opens the accounts, and the others remember them.
  for (const { draft, payment } of rows) {
    const hold = await holdOf(context.db, draft, payment.payment_id);
    if (hold) holds.push({ payment, request: hold });
    const outflow = await outflowOf(context.db, draft, payment);
    if (outflow) outflows.push(outflow);
  }

  const scope = await outflowScopeOf(context, bulk);
  const write = async (trx: Transaction): Promise<void> => {
    await insertBulk(trx, bulk);
    await call.expectKey?.(trx);
    // A try that was rolled back may have noted what waits, and this one finds that it does not.
    for (const [n, { payment }] of rows.entries()) payment.details = asked[n] ?? payment.details;
    for (const [n, { draft, payment }] of rows.entries()) await check(trx, draft, payment, n);
    const payments = rows.map(({ payment }) => payment);
    await fixFees(trx, payments);
    for (const some of inChunks(rows)) {
      await trx('payments').insert(some.map(({ payment }) => columnsOf(payment)));
    }
    await tellOfCreated(trx, context, payments);
    const listed = rows.map(({ payment: { payment_id } }, n) => ({ bulk_id: bulk.bulk_id, n, payment_id }));
    for (const some of inChunks(listed)) await trx('bulk_rows').insert(some);
    for (const { draft, payment } of rows) await keepQuote(trx, draft, payment);
    if (outflows.length > 0) {
      const waiting = await countOutflows(trx, scope, outflows, atPlace);
      await noteHolds(trx, payments, waiting);
    }
    // Last, so that other payouts wait for the float for as short as can be.
    const withFees = holds.map(({ payment, request }) => ({ ...request, feeMinor: heldFeeOf(payment) }));
    await placeHolds(trx, withFees, holds[0]?.request.whenShort ?? 'FLOAT_INSUFFICIENT');
    await alongside?.(trx, bulk.bulk_id);
  };
  await writeOnce(context.db, write, { bulk_id: bulk.bulk_id });
  return { bulk, payments: rows.map(({ payment }) => payment) };
}

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
