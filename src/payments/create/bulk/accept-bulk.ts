/** A merchant's request for many payouts: taken once for ever by its order_id, and begun one by one. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import { countOutflows, type Outflow } from '../../../controls/outflow';
import { PaymentError } from '../../../domain/errors';
import { placeHolds, type HoldRequest } from '../../../ledger/holds';
import type { PaymentsContext } from '../../../rail-kit/context';
import type { BulkRequest, PaymentDraft } from '../../../rail-kit/draft';
import type { Call } from '../../../rail-kit/endpoint';
import type { Engine } from '../../../rail-kit/engine';
import type { Database, Transaction } from '../../../store/database';
import { inChunks } from '../../../store/in-chunks';
import type { BulkPayoutRow, PaymentRow } from '../../../store/tables';
import { duplicateKeyOf } from '../../../store/transaction';
import { apart } from '../../../telemetry/tracing/scope';
import { bulkDetail } from '../../read/payments';
import { isHeldBack } from '../../read/on-hold';
import { assertNotStopped } from '../../submit/stopped-accounts';
import { fixFees, heldFeeOf } from '../../transition/fees';
import { tellOfCreated } from '../../transition/write-webhook';
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
import { atPlace } from './read-rows';

/** @returns what runs work in the order it comes, so many pieces of it at once. */
function atMost(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    // Whoever leaves hands the place over.
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** Of the connections that all merchants share, a bulk holds one for seconds. */
const writing = atMost(2);
/** One after the other, so that the payouts of all bulks together leave their rail's places to others. */
const beginning = atMost(1);
/** Rows that are begun together, and how long the next ones wait until a worker has taken most of them up. */
const pace = { rows: 10, leftMax: 3, everyMs: 200, patienceMs: 10_000 };

/**
 * Writes all payouts of the request, or none, and begins their workflows without being waited for: what this process
 * does not begin the sweeper does.
 * @returns the first request's when the same was made before.
 * @throws PaymentError ORDER_ID_REUSED when the order_id stands for another one; PROVIDER_TEMPORARILY_UNAVAILABLE while the provider's account is
 *   stopped; as `writeBulk` does.
 */
export async function acceptBulk(
  context: PaymentsContext,
  engine: Engine,
  call: Call,
  request: BulkRequest,
): Promise<BulkPayoutRow> {
  const wanted = namesOf(request);
  const alongside = (trx: Transaction, bulkId: string) => request.alongside?.(trx, bulkId);
  const again = async (): Promise<BulkPayoutRow | undefined> => {
    const first = await findBulk(context.db, call, request);
    if (first && !first.body_hash.equals(wanted.body_hash)) {
      throw new PaymentError('ORDER_ID_REUSED', { extra: { bulk_id: first.bulk_id } });
    }
    return first;
  };
  const first = await again();
  if (first) return first;
  const drafts = await request.drafts();
  await assertNotStopped(context, drafts);
  try {
    const { bulk, payments } = await writing(() =>
      writeBulk(context, call, { ...wanted, alongside }, drafts),
    );
    void apart(() => beginning(() => beginAll(context, engine, payments)));
    return bulk;
  } catch (error) {
    const taken = error instanceof BulkTakenMeanwhile ? await again() : undefined;
    if (taken) return taken;
    throw error;
  }
}

/** The request of this order_id, if there was one. */
export function findBulk(
  db: Database,
  { merchant }: Pick<Call, 'merchant'>,
  { rail, orderId }: Pick<BulkRequest, 'rail' | 'orderId'>,
): Promise<BulkPayoutRow | undefined> {
  const { merchant_id } = merchant;
  return db('bulk_payouts')
    .where({ merchant_id, rail, order_hash: digest(orderId) })
    .first();
}

function namesOf({ rail, orderId, body }: BulkRequest) {
  return { rail, order_id: orderId, order_hash: digest(orderId), body_hash: digest(body) };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** In the order of the request, at a pace: a provider is not asked for a thousand things in one moment. */
async function beginAll(
  context: PaymentsContext,
  engine: Engine,
  payments: readonly PaymentRow[],
): Promise<void> {
  try {
    for (const some of inChunks(payments, pace.rows)) {
      await Promise.all(some.map((payment) => engine.wake(payment)));
      await takenUp(context.db, some);
    }
  } catch (error) {
    context.log.warn('payouts of a bulk are left to the sweeper to begin', { error });
  }
}

async function takenUp(db: Database, payments: readonly PaymentRow[]): Promise<void> {
  const ids = payments.map(({ payment_id: id }) => id);
  for (const until = Date.now() + pace.patienceMs; Date.now() < until;) {
    const left = await db('payments')
      .whereIn('payment_id', ids)
      .where({ state: 'received' })
      .select('payment_id', 'details');
    // What is held back has been taken up.
    if (left.filter((row) => !isHeldBack(row)).length <= pace.leftMax) return;
    await delay(pace.everyMs, undefined, { ref: false });
  }
}

// The one transaction that takes many payouts on: all their rows and holds, or none.

/** When the sweeper begins what the process that took them on has not: later for each row, and no faster than that. */
const sweptAfterMs = { first: 30_000, each: 500 };
/** Another request has taken the order_id meanwhile. */
class BulkTakenMeanwhile extends Error {}

interface BulkToWrite extends Pick<BulkPayoutRow, 'rail' | 'order_id' | 'order_hash' | 'body_hash'> {
  /** Runs last. */
  alongside?: (trx: Transaction, bulkId: string) => Promise<void> | undefined;
}

interface WrittenBulk {
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
    next_check_at: new Date(created_at.getTime() + sweptAfterMs.first + n * sweptAfterMs.each),
  };
}
