/**
 * Fee schedules. Only the most specific schedule in force applies to a payment: the merchant's own before the general one, and
 * then the one of its rail before the one of all rails.
 */
import { v7 as uuid } from 'uuid';
import type { Currency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import type { FeeOperation, FeeScheduleRow } from '../store/tables';
import { duplicateKeyOf, inTransaction } from '../store/transaction';
import { recordAction, holdRows, rowChanged, type RecordLine } from '../users/audit-log';

export type NewFee = Pick<FeeScheduleRow, 'operation' | 'currency' | 'reason'> &
  Partial<Pick<FeeScheduleRow, 'merchant_id' | 'rail' | 'fixed' | 'per_million' | 'minimum' | 'maximum'>>;

export interface Change {
  /** Who changes it, for the audit log. */
  by: string;
  record?: RecordLine | undefined;
}

/** How many times `setFee` tries again if another schedule of the same scope is set at the same moment. */
const triesMax = 5;

/** Sets a schedule and ends the one of the same scope. It applies to payments that are created from then on. */
export async function setFee(db: Database, fee: NewFee, change: Change): Promise<FeeScheduleRow> {
  const row = {
    ...{
      fee_id: uuid(),
      merchant_id: null,
      rail: null,
      fixed: '0',
      per_million: 0,
      minimum: null,
      maximum: null,
    },
    ...fee,
  };
  const { merchant_id, rail, operation, currency } = row;
  const openKey = [operation, currency, rail ?? '', merchant_id ?? ''].join(':');
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(db, async (trx) => {
        await end(trx, { open_key: openKey });
        await trx('fee_schedules').insert({ ...row, open_key: openKey, from_at: nowOf(trx) });
        await rowChanged(trx, 'fee_schedules', row.fee_id);
        return recordFeeChange(trx, row.fee_id, { ...change, action: 'fee.set', reason: fee.reason });
      });
    } catch (error) {
      const key = duplicateKeyOf(error);
      // An earlier try was committed, but its answer was lost.
      const written = key === 'PRIMARY' ? await findFee(db, row.fee_id) : undefined;
      if (written) return written;
      if (key !== 'one_in_force' || tries >= triesMax) throw error;
    }
  }
}

/** @returns the ended schedule, or undefined if no schedule with this id is in force. */
export function endFee(
  db: Database,
  feeId: string,
  { reason, ...change }: Change & { reason: string },
): Promise<FeeScheduleRow | undefined> {
  // If the answer to a COMMIT was lost, the next try finds the schedule ended.
  let isTriedBefore = false;
  return inTransaction(db, async (trx) => {
    if ((await end(trx, { fee_id: feeId })) !== 1) return isTriedBefore ? findFee(trx, feeId) : undefined;
    const ended = await recordFeeChange(trx, feeId, { ...change, action: 'fee.remove', reason });
    isTriedBefore = true;
    return ended;
  });
}

function findFee(db: Database | Transaction, feeId: string): Promise<FeeScheduleRow | undefined> {
  return db('fee_schedules').where({ fee_id: feeId }).first();
}

const nowOf = (trx: Transaction) => trx.raw<Date>('UTC_TIMESTAMP(3)');

async function end(trx: Transaction, which: { open_key: string } | { fee_id: string }): Promise<number> {
  const inForce = { ...which, ended_at: null };
  const ids = await trx('fee_schedules').where(inForce).forUpdate().pluck('fee_id');
  await holdRows(trx, 'fee_schedules', ...ids);
  await trx('fee_schedules')
    .whereIn('fee_id', ids)
    .update({ ended_at: nowOf(trx), open_key: null });
  await rowChanged(trx, 'fee_schedules', ...ids);
  return ids.length;
}

async function recordFeeChange(
  trx: Transaction,
  feeId: string,
  { by, record, action, reason }: Change & { action: string; reason: string },
): Promise<FeeScheduleRow> {
  const row = await findFee(trx, feeId);
  if (!row) throw new Error(`there is no schedule ${feeId}`);
  const { merchant_id, rail, operation, currency, fixed, per_million, minimum, maximum } = row;
  const terms = { fixed, per_million, minimum, maximum };
  const line = {
    subject: { kind: 'fee', id: feeId },
    details: { operation, merchant_id, rail, currency, ...terms, reason },
  };
  await (record ? record(trx, line) : recordAction(trx, { by, action, ...line }));
  return row;
}

/** Schedules in the order of their creation; ended ones only with `ended`. */
export async function listFees(
  db: Database,
  { merchantId, ended = false }: { merchantId?: string | undefined; ended?: boolean },
): Promise<FeeScheduleRow[]> {
  const query = db('fee_schedules').orderBy('fee_id');
  if (!ended) void query.where({ ended_at: null });
  if (merchantId !== undefined) void query.where(isAbout(merchantId));
  return query;
}

/** The schedules in force for the merchant. A payment reads them in the transaction that creates it. */
export async function feesInForce(
  trx: Transaction | Database,
  merchantId: string,
): Promise<FeeScheduleRow[]> {
  return trx('fee_schedules').where({ ended_at: null }).where(isAbout(merchantId));
}

const isAbout =
  (merchantId: string) =>
  (scope: { where(of: object): { orWhereNull(column: string): unknown } }): void =>
    void scope.where({ merchant_id: merchantId }).orWhereNull('merchant_id');

/** The schedule for a payment; undefined if there is no fee. */
export function nearestFee(
  inForce: readonly FeeScheduleRow[],
  payment: { operation: FeeOperation; rail: string; currency: Currency },
): FeeScheduleRow | undefined {
  const nearness = ({ merchant_id, rail }: FeeScheduleRow) =>
    (merchant_id === null ? 0 : 2) + (rail === null ? 0 : 1);
  return inForce
    .filter(({ operation, currency }) => operation === payment.operation && currency === payment.currency)
    .filter(({ rail }) => rail === null || rail === payment.rail)
    .sort((one, other) => nearness(other) - nearness(one))[0];
}

const known = new WeakMap<Database, Map<string, FeeTerms>>();

/** The terms that a payment was created with. They never change, so each process reads them once. */
export async function feeTerms(db: Database, trx: Transaction, feeId: string): Promise<FeeTerms> {
  const terms = known.get(db) ?? new Map<string, FeeTerms>();
  known.set(db, terms);
  const remembered = terms.get(feeId);
  if (remembered) return remembered;
  const row = await trx('fee_schedules')
    .where({ fee_id: feeId })
    .first('operation', 'fixed', 'per_million', 'minimum', 'maximum');
  if (!row) throw new Error(`there is no schedule ${feeId}`);
  terms.set(feeId, row);
  return row;
}

// The fee of an amount.

/** The part of a schedule that never changes. */
export type FeeTerms = Pick<FeeScheduleRow, 'operation' | 'fixed' | 'per_million' | 'minimum' | 'maximum'>;

const million = 1_000_000n;

/**
 * The fixed part plus the share of the amount, at least the minimum and at most the maximum, all in minor units. The share is
 * computed exactly and rounded half up once. The fee of a collection is at most the collected amount, because it is taken from it.
 */
export function feeOf(terms: FeeTerms, amountMinor: bigint): bigint {
  const share = (amountMinor * BigInt(terms.per_million) + million / 2n) / million;
  let fee = BigInt(terms.fixed) + share;
  if (terms.minimum !== null && fee < BigInt(terms.minimum)) fee = BigInt(terms.minimum);
  if (terms.maximum !== null && fee > BigInt(terms.maximum)) fee = BigInt(terms.maximum);
  return terms.operation === 'collection' && fee > amountMinor ? amountMinor : fee;
}
