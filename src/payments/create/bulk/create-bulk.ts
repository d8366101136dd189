/** A merchant's request for many payouts. Its order_id accepts it once only, and its payouts are started one by one. */
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
import { isOnHold } from '../../read/on-hold';
import { assertNotStopped } from '../../submit/stopped-accounts';
import { fixFees, heldFeeOf } from '../../transition/fees';
import { writeCreatedWebhook } from '../../transition/write-webhook';
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

/** @returns a function that runs work in order of arrival, with at most `places` pieces at once. */
function atMost(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    // A finished piece passes its place to the next one.
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

/** All merchants share the connections, and a bulk occupies one for seconds. */
const writing = atMost(2);
/** The payouts of all bulks start one after the other, so that they leave concurrency on their rail to others. */
const beginning = atMost(1);
/** Rows that start together, and how long the next ones wait until a worker has picked up most of them. */
const pace = { rows: 10, leftMax: 3, everyMs: 200, patienceMs: 10_000 };

/**
 * Writes all payouts of the request, or none, and starts their workflows in the background. The sweeper starts those
 * that this process does not start.
 * @returns the first request's bulk when the same request was made before.
 * @throws PaymentError ORDER_ID_REUSED when the order_id belongs to another request; PROVIDER_TEMPORARILY_UNAVAILABLE
 *   while the provider's account is stopped; as `writeBulk` does.
 */
export async function createBulk(
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

/** The request with this order_id, if there is one. */
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

/**
 * Starts the payouts in the order of the request, at a limited pace, so that a provider does not receive a thousand
 * calls at once.
 */
async function beginAll(
  context: PaymentsContext,
  engine: Engine,
  payments: readonly PaymentRow[],
): Promise<void> {
  try {
    for (const some of inChunks(payments, pace.rows)) {
      await Promise.all(some.map((payment) => engine.signalOrStart(payment, 'merchant')));
      await takenUp(context.db, some);
    }
  } catch (error) {
    context.log.warn('some payouts of a bulk were not started; the sweeper starts them', { error });
  }
}

async function takenUp(db: Database, payments: readonly PaymentRow[]): Promise<void> {
  const ids = payments.map(({ payment_id: id }) => id);
  for (const until = Date.now() + pace.patienceMs; Date.now() < until;) {
    const left = await db('payments')
      .whereIn('payment_id', ids)
      .where({ state: 'received' })
      .select('payment_id', 'details');
    // A worker has already picked up the payouts on hold.
    if (left.filter((row) => !isOnHold(row)).length <= pace.leftMax) return;
    await delay(pace.everyMs, undefined, { ref: false });
  }
}

// One transaction accepts many payouts: it writes all their rows and reserves, or none.

/**
 * When the sweeper starts payouts that their own process has not started: later for each row, and never faster than
 * that process.
 */
const sweptAfterMs = { first: 30_000, each: 500 };
/** Another request has taken the order_id in the meantime. */
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
 * @throws PaymentError of the drafts, such as FLOAT_INSUFFICIENT for their sum, OUTFLOW_LIMIT_REACHED for the first
 *   that does not fit, or ACCEPTANCE_UNKNOWN; BulkTakenMeanwhile. A plain database error means that nothing was
 *   written.
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
    // The order_id identifies all of them. An Idempotency-Key identifies one payment.
    payment: newRow(newPayment(context, { merchant, requestId }, draft), bulk, n),
  }));
  const asked = rows.map(({ payment: { details } }) => details);
  const holds: { payment: PaymentRow; request: HoldRequest }[] = [];
  const outflows: Outflow[] = [];
  // One after the other: the first opens the accounts, and the others reuse them from memory.
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
    // A try that was rolled back may have noted a hold that no longer applies in this try.
    for (const [n, { payment }] of rows.entries()) payment.details = asked[n] ?? payment.details;
    for (const [n, { draft, payment }] of rows.entries()) await check(trx, draft, payment, n);
    const payments = rows.map(({ payment }) => payment);
    await fixFees(trx, payments);
    for (const some of inChunks(rows)) {
      await trx('payments').insert(some.map(({ payment }) => columnsOf(payment)));
    }
    await writeCreatedWebhook(trx, context, payments);
    const listed = rows.map(({ payment: { payment_id } }, n) => ({ bulk_id: bulk.bulk_id, n, payment_id }));
    for (const some of inChunks(listed)) await trx('bulk_rows').insert(some);
    for (const { draft, payment } of rows) await keepQuote(trx, draft, payment);
    if (outflows.length > 0) {
      const waiting = await countOutflows(trx, scope, outflows, atPlace);
      await noteHolds(trx, payments, waiting);
    }
    // Last, so that other payouts wait for the float as briefly as possible.
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

/** A row that is refused inside the transaction is reported by its position, as a row that was refused before it is. */
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
    // The merchant is answered before any provider is asked.
    answered_at: created_at,
    next_check_at: new Date(created_at.getTime() + sweptAfterMs.first + n * sweptAfterMs.each),
  };
}
