/** A merchant's request for many payouts: taken once for ever by its order_id, and begun one by one. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { PaymentError } from '../../../domain/errors';
import type { Database, Transaction } from '../../../store/database';
import { inChunks } from '../../../store/in-chunks';
import type { BulkPayoutRow, PaymentRow } from '../../../store/tables';
import { apart } from '../../../telemetry/tracing/scope';
import type { PaymentsContext } from '../../../rail-kit/context';
import type { BulkRequest } from '../../../rail-kit/draft';
import type { Call } from '../../../rail-kit/endpoint';
import type { Engine } from '../../../rail-kit/engine';
import { isHeldBack } from '../../read/on-hold';
import { assertNotStopped } from '../../submit/stopped-accounts';
import { atMost } from './at-most';
import { BulkTakenMeanwhile, writeBulk } from './write-bulk';

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
