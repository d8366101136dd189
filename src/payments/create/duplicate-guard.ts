/** Two equal payments within a short time are a double click: the customer would be charged, or paid, twice. */
import { createHash } from 'node:crypto';
import { PaymentError } from '../../domain/errors';
import { notGone, type PaymentState } from '../../domain/payment';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Call } from '../../rail-kit/endpoint';
import type { PaymentDraft } from '../../rail-kit/draft';

export interface Guard {
  hash: Buffer;
  windowMs: number;
}

/** After these ends the merchant is advised to let the customer try again. */
const retryable: readonly (PaymentState | null)[] = [...notGone, 'timed_out', null];

/**
 * The fields that identify a repeat: merchant, payer or recipient, amount and purpose. An Idempotency-Key identifies
 * repeated requests by itself, and its claim protects them.
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
 * Takes the guard's row, or waits for the request that is taking it. Its lock is exclusive from the start. An insert
 * that fails leaves a shared lock, and two transactions that upgrade a shared lock cause a deadlock.
 */
const take = `
  INSERT INTO duplicate_guards (guard_key, payment_id, until_at)
  VALUES (:hash, :paymentId, UTC_TIMESTAMP(3) + INTERVAL :windowUs MICROSECOND)
  ON DUPLICATE KEY UPDATE payment_id = IF(until_at > UTC_TIMESTAMP(3), payment_id, :paymentId),
                          until_at = IF(until_at > UTC_TIMESTAMP(3), until_at,
                                        UTC_TIMESTAMP(3) + INTERVAL :windowUs MICROSECOND)`;

/**
 * Inserts the payment's row where the payment has the guard. The row stores when it took the guard, so that `verify`
 * can check it.
 */
const insertOf = (columns: readonly string[]) => `
  INSERT INTO payments (${columns.map(() => '??').join(', ')}, guard_hash, guarded_from, guarded_until)
  SELECT ${columns.map(() => '?').join(', ')}, guard_key, until_at - INTERVAL ? MICROSECOND, until_at
    FROM duplicate_guards WHERE guard_key = ? AND payment_id = ?`;

const peekSql = `
  SELECT g.payment_id AS holderId, p.state AS holderState
    FROM duplicate_guards g LEFT JOIN payments p ON p.payment_id = g.payment_id
   WHERE g.guard_key = :hash`;

const takeOver = `
  UPDATE duplicate_guards
     SET payment_id = :paymentId, until_at = UTC_TIMESTAMP(3) + INTERVAL :windowUs MICROSECOND
   WHERE guard_key = :hash`;

interface Holder {
  holderId: string;
  holderState: PaymentState | null;
}

/**
 * Takes the guard for a payment and writes the payment's row, in two round trips. It reads another payment only where
 * that one has or had the guard. It is safe to retry with the same payment.
 * @param row the columns of the payment, as the driver takes them.
 * @throws PaymentError DUPLICATE_PAYMENT with the id of the first; and database errors.
 */
export async function insertGuarded(
  trx: Transaction,
  { guard_hash: _hash, guarded_from: _from, guarded_until: _until, ...row }: PaymentRow,
  { hash, windowMs }: Guard,
): Promise<void> {
  const { payment_id: paymentId } = row;
  const windowUs = windowMs * 1_000;
  const bindings = { hash, paymentId, windowUs };
  const insert = async (): Promise<boolean> => {
    const values = [...Object.keys(row), ...Object.values(row), windowUs, hash, paymentId] as string[];
    const [{ affectedRows }] = (await trx.raw(insertOf(Object.keys(row)), values)) as unknown as [
      { affectedRows: number },
    ];
    return affectedRows === 1;
  };
  await trx.raw(take, bindings);
  if (await insert()) return;
  const [[holder]] = (await trx.raw(peekSql, bindings)) as unknown as [Holder[]];
  if (!holder) throw new Error("the duplicate guard's row is missing");
  if (!retryable.includes(holder.holderState)) {
    throw new PaymentError('DUPLICATE_PAYMENT', { extra: { payment_id: holder.holderId } });
  }
  await trx.raw(takeOver, bindings);
  if (!(await insert())) throw new Error("the duplicate guard's row is missing after a takeover");
}

/** Old guards per delete: few, so that the statement holds no locks for long. */
const batch = 500;
/** How long an expired guard stays at least, so that no request is taking it when it is deleted. */
const restSeconds = 60;

/** Deletes guards that expired some time ago. @returns how many. */
export async function forgetOldGuards(db: Database): Promise<number> {
  const isOver = `until_at < UTC_TIMESTAMP(3) - INTERVAL ${String(restSeconds)} SECOND`;
  const old = await db('duplicate_guards')
    .whereRaw(isOver)
    .orderBy('until_at')
    .limit(batch)
    .select('guard_key');
  if (old.length === 0) return 0;
  // By primary key, in the same lock order as a request that takes a guard.
  return db('duplicate_guards')
    .whereIn(
      'guard_key',
      old.map(({ guard_key: key }) => key),
    )
    .whereRaw(isOver)
    .delete();
}
