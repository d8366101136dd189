/**
 * Limits on payouts. All limits that match a payout apply. A limit without a merchant applies to each merchant by itself, and a
 * limit without a rail counts all rails together.
 */
import { v7 as uuid } from 'uuid';
import type { Currency } from '../domain/money';
import { recordAction, type RecordLine, holdRows, rowChanged } from '../users/audit-log';
import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import { outflowLimitKinds, type OutflowLimitKind } from '../store/control-tables';
import type { OutflowLimitRow } from '../store/tables';

export interface LimitKind {
  takes: readonly ('amount' | 'cooldown_s' | 'most')[];
  /** True if the API denies a payout above the limit; false if the payout is put on hold. */
  refuses: boolean;
  /** The window in which payouts count; undefined for a limit per payment. */
  windowSeconds?: number;
  /** True if it counts the payouts to one recipient. */
  ofRecipient?: boolean;
  /** Follows "At most 100.00 KES can be paid out …". */
  phrase: string;
}

const day = 86_400;

export const limitKinds: Record<OutflowLimitKind, LimitKind> = {
  per_payment: { takes: ['amount'], refuses: true, phrase: 'in one payment' },
  per_hour: { takes: ['amount'], refuses: true, windowSeconds: 3_600, phrase: 'in an hour' },
  per_day: { takes: ['amount'], refuses: true, windowSeconds: day, phrase: 'in 24 hours' },
  per_recipient_day: {
    takes: ['amount'],
    refuses: true,
    windowSeconds: day,
    ofRecipient: true,
    phrase: 'to one recipient in 24 hours',
  },
  first_payment_cooldown: {
    takes: ['amount', 'cooldown_s'],
    refuses: false,
    phrase: 'to a new recipient without waiting',
  },
  new_recipients_per_day: { takes: ['most'], refuses: false, phrase: 'to new recipients in 24 hours' },
};

/** A limit on amounts. */
export interface LimitInForce {
  kind: OutflowLimitKind;
  currency: Currency;
  rail: string | null;
  amountMinor: bigint;
}

export type NewLimit = Pick<OutflowLimitRow, 'kind' | 'currency' | 'reason'> &
  Partial<Pick<OutflowLimitRow, 'merchant_id' | 'rail' | 'amount' | 'cooldown_s' | 'most'>>;

export interface Change {
  /** The operator, for the audit log. */
  by: string;
  /** How far the sandbox's clock is ahead, in milliseconds. */
  aheadMs: number;
  record?: RecordLine | undefined;
}

/**
 * The clock of the windows: the database's clock, plus `aheadMs` in a sandbox that has moved time. Users never see its times:
 * see `inRealTime`.
 */
export function clockOf(trx: Transaction, aheadMs: number) {
  return trx.raw<Date>('UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND', [aheadMs * 1_000]);
}

/** Converts a time of that clock to real time. */
export function inRealTime({ aheadMs }: { aheadMs: number }, at: Date): Date {
  return new Date(at.getTime() - aheadMs);
}

const now = (trx: Transaction) => trx.raw<Date>('UTC_TIMESTAMP(3)');

/**
 * Sets a limit and ends the one of the same kind and scope. It applies to payouts that are created afterwards; earlier payouts
 * count in its window.
 */
export async function setLimit(
  db: Database,
  limit: NewLimit,
  { by, aheadMs, record }: Change,
): Promise<OutflowLimitRow> {
  const row = {
    limit_id: uuid(),
    merchant_id: null,
    rail: null,
    amount: null,
    cooldown_s: null,
    most: null,
    ...limit,
  };
  return changing(db, { by, action: 'limit.set', record, reason: limit.reason }, async (trx) => {
    const { kind, currency, merchant_id, rail } = row;
    const former = await trx('outflow_limits')
      .where({ kind, currency, merchant_id, rail, ended_at: null })
      .pluck('limit_id');
    await holdRows(trx, 'outflow_limits', ...former);
    await trx('outflow_limits')
      .whereIn('limit_id', former)
      .update({ ended_at: now(trx), ended_ahead_ms: String(aheadMs) });
    await trx('outflow_limits').insert({ ...row, from_at: now(trx), from_ahead_ms: String(aheadMs) });
    await rowChanged(trx, 'outflow_limits', row.limit_id, ...former);
    return getLimit(trx, row.limit_id);
  });
}

/** @returns the ended limit, or undefined if no limit with this id is in force. */
export function endLimit(
  db: Database,
  limitId: string,
  { by, aheadMs, reason, record }: Change & { reason: string },
): Promise<OutflowLimitRow | undefined> {
  return changing(db, { by, action: 'limit.remove', reason, record }, async (trx) => {
    await holdRows(trx, 'outflow_limits', limitId);
    const ended = await trx('outflow_limits')
      .where({ limit_id: limitId, ended_at: null })
      .update({ ended_at: now(trx), ended_ahead_ms: String(aheadMs) });
    if (ended !== 1) return undefined;
    await rowChanged(trx, 'outflow_limits', limitId);
    return getLimit(trx, limitId);
  });
}

async function getLimit(trx: Transaction, limitId: string): Promise<OutflowLimitRow> {
  const row = await trx('outflow_limits').where({ limit_id: limitId }).first();
  if (!row) throw new Error(`there is no limit ${limitId}`);
  return row;
}

/**
 * Runs a change of limits under an exclusive lock. Each new payout holds the shared lock from reading the limits until its
 * commit. So no payout is created by an ended limit, and none is counted too late.
 */
function changing<T extends OutflowLimitRow | undefined>(
  db: Database,
  { by, action, reason, record }: Omit<Change, 'aheadMs'> & { action: string; reason: string },
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (trx) => {
    await trx('outflow_lock').where({ id: 1 }).forUpdate().first('id');
    const limit = await work(trx);
    const [row] = await trx('outflow_limits')
      .where({ ended_at: null })
      .count<{ n: string | number }[]>({ n: '*' });
    await trx('outflow_lock')
      .where({ id: 1 })
      .update({ limits: Number(row?.n ?? 0) });
    if (!limit) return limit;
    const { kind, merchant_id, rail, currency, amount, cooldown_s, most } = limit;
    const details = { kind, merchant_id, rail, currency, amount, cooldown_s, most, reason };
    const line = { subject: { kind: 'limit', id: limit.limit_id }, details };
    await (record ? record(trx, line) : recordAction(trx, { by, action, ...line }));
    return limit;
  });
}

/**
 * The limits in force for a merchant in some currencies. They cannot change until the transaction ends.
 * @returns none, after one statement, if there are no limits at all.
 */
export async function limitsInForce(
  trx: Transaction,
  merchantId: string,
  currencies: readonly Currency[],
): Promise<OutflowLimitRow[]> {
  const gate = await trx('outflow_lock').where({ id: 1 }).forShare().first('limits');
  if (!gate) throw new Error('the row of the limits lock is missing');
  if (gate.limits === 0) return [];
  return trx('outflow_limits')
    .where({ ended_at: null })
    .where((scope) => void scope.where({ merchant_id: merchantId }).orWhereNull('merchant_id'))
    .whereIn('currency', [...currencies]);
}

/** Limits in the order of their kinds; ended ones only with `ended`. */
export async function listLimits(
  db: Database,
  { merchantId, ended = false }: { merchantId?: string | undefined; ended?: boolean },
): Promise<OutflowLimitRow[]> {
  const query = db('outflow_limits').orderBy('limit_id');
  if (!ended) void query.where({ ended_at: null });
  if (merchantId !== undefined) {
    void query.where((scope) => void scope.where({ merchant_id: merchantId }).orWhereNull('merchant_id'));
  }
  const place = ({ kind }: OutflowLimitRow) => outflowLimitKinds.indexOf(kind);
  return (await query).sort((one, other) => place(one) - place(other));
}
