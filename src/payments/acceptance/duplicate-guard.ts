/** The same payment twice within a moment is a double click: the customer would be charged, or paid, twice. */
import { createHash } from 'node:crypto';
import { PaymentError } from '../../domain/errors';
import { notGone, type PaymentState } from '../../domain/payment';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../rail/context';
import type { Call } from '../rail/endpoint';
import type { PaymentDraft } from '../rail/draft';

export interface Guard {
  hash: Buffer;
  windowMs: number;
}

/** After these ends the merchant is told to let the customer try again. */
const retryable: readonly (PaymentState | null)[] = [...notGone, 'timed_out', null];

/**
 * What a payment is guarded by: whose it is, who pays or is paid, how much, and what for. An Idempotency-Key says by
 * itself which requests are the same, and is fenced by its claim.
 */
export function guardOf(
  { timeScale }: Pick<PaymentsContext, 'timeScale'>,
  { merchant, idempotency }: Pick<Call, 'merchant' | 'idempotency'>,
  draft: PaymentDraft,
): Guard | undefined {
  const windowMs = Math.round((merchant.duplicate_window_s * 1_000) / timeScale);
  if (windowMs <= 0 || idempotency || !draft.sameness) return undefined;
  const parts = [
    merchant.merchant_id,
    draft.rail,
    draft.kind,
    draft.sameness.counterparty,
    draft.requestedMinor.toString(),
    draft.currency,
    draft.sameness.reference ?? null,
    draft.orderId ?? null,
  ];
  return { hash: createHash('sha256').update(JSON.stringify(parts)).digest(), windowMs };
}

/**
 * Takes the guard's row, or waits for whoever is just taking it. Its lock is exclusive from the start: an insert that
 * fails leaves a shared one, and two who then want more of it are a deadlock.
 */
const take = `
  INSERT INTO duplicate_guards (guard_key, payment_id, until_at)
  VALUES (:hash, :paymentId, UTC_TIMESTAMP(3) + INTERVAL :windowUs MICROSECOND)
  ON DUPLICATE KEY UPDATE payment_id = IF(until_at > UTC_TIMESTAMP(3), payment_id, :paymentId),
                          until_at = IF(until_at > UTC_TIMESTAMP(3), until_at,
                                        UTC_TIMESTAMP(3) + INTERVAL :windowUs MICROSECOND)`;

const look = `
  SELECT g.payment_id AS holderId, p.state AS holderState, g.until_at AS until,
         g.until_at - INTERVAL :windowUs MICROSECOND AS since
    FROM duplicate_guards g LEFT JOIN payments p ON p.payment_id = g.payment_id
   WHERE g.guard_key = :hash`;

const takeOver = `
  UPDATE duplicate_guards
     SET payment_id = :paymentId, until_at = UTC_TIMESTAMP(3) + INTERVAL :windowUs MICROSECOND
   WHERE guard_key = :hash`;

interface Holder {
  holderId: string;
  holderState: PaymentState | null;
  since: Date;
  until: Date;
}

/**
 * Takes the guard for a payment, in the transaction that writes it. Safe to try again with the same payment.
 * @returns what the payment's row keeps of it, so that `verify` can tell.
 * @throws PaymentError DUPLICATE_PAYMENT with the id of the first.
 */
export async function refuseDuplicate(
  trx: Transaction,
  paymentId: string,
  { hash, windowMs }: Guard,
): Promise<Pick<PaymentRow, 'guard_hash' | 'guarded_from' | 'guarded_until'>> {
  const bindings = { hash, paymentId, windowUs: windowMs * 1_000 };
  const holder = async (): Promise<Holder> => {
    const [[row]] = (await trx.raw(look, bindings)) as unknown as [Holder[]];
    if (!row) throw new Error('a guard was taken and is not there');
    return row;
  };
  await trx.raw(take, bindings);
  let found = await holder();
  if (found.holderId !== paymentId) {
    if (!retryable.includes(found.holderState)) {
      throw new PaymentError('DUPLICATE_PAYMENT', { extra: { payment_id: found.holderId } });
    }
    await trx.raw(takeOver, bindings);
    found = await holder();
  }
  return { guard_hash: hash, guarded_from: found.since, guarded_until: found.until };
}

/** Old guards that are deleted at once: a few, so that the statement holds no locks for long. */
const batch = 500;
/** How long after its end a guard stays at least: nobody takes it any more just then. */
const restSeconds = 60;

/** Deletes guards that have been over for a while. @returns how many. */
export async function forgetOldGuards(db: Database): Promise<number> {
  const isOver = `until_at < UTC_TIMESTAMP(3) - INTERVAL ${String(restSeconds)} SECOND`;
  const old = await db('duplicate_guards')
    .whereRaw(isOver)
    .orderBy('until_at')
    .limit(batch)
    .select('guard_key');
  if (old.length === 0) return 0;
  // By their primary key, in the order of locks of whoever takes one.
  return db('duplicate_guards')
    .whereIn(
      'guard_key',
      old.map(({ guard_key: key }) => key),
    )
    .whereRaw(isOver)
    .delete();
}
