/** A merchant's request for many payouts: taken once for ever by its order_id, and begun one by one. */
import { createHash } from 'node:crypto';
import { PaymentError } from '../../domain/errors';
import type { Database } from '../../store/database';
import type { BulkPayoutRow, PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../context';
import type { Call } from '../endpoint';
import type { Engine } from '../engine';
import { inParallel } from '../in-parallel';
import type { PaymentDraft } from '../write-payment';
import { BulkTakenMeanwhile, writeBulk } from './write-bulk';

/** Begun at the same time: a provider is not asked for a thousand things in one moment. */
const begunAtOnce = 5;

export interface BulkRequest {
  rail: string;
  /** The merchant's name for the whole. */
  orderId: string;
  /** What makes the request the same or another one. */
  body: string;
  /** Asked for only when there is something to accept. */
  drafts(): Promise<PaymentDraft[]>;
}

/**
 * Writes all payouts of the request, or none, and begins their workflows without being waited for: what this process
 * does not begin the sweeper does.
 * @returns the first request's when the same was made before.
 * @throws PaymentError ORDER_ID_REUSED when the order_id stands for another one; as `writeBulk` does.
 */
export async function acceptBulk(
  context: PaymentsContext,
  engine: Engine,
  call: Call,
  request: BulkRequest,
): Promise<BulkPayoutRow> {
  const wanted = namesOf(request);
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
  try {
    const { bulk, payments } = await writeBulk(context, call, wanted, drafts);
    void beginAll(context, engine, payments);
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

async function beginAll({ log }: PaymentsContext, engine: Engine, payments: PaymentRow[]): Promise<void> {
  const { left, error } = await inParallel(payments, begunAtOnce, async (payment) => {
    await engine.wake(payment);
    return 'go_on';
  });
  if (error) log.warn('payouts of a bulk are left to the sweeper to begin', { left: left.length, error });
}
